// For people: with the line and a mark under it on a terminal, one line for each finding elsewhere, where programs cut it up.

import { pathText } from "../finding.ts";
import type { Severity } from "../rules.ts";
import { nameOf } from "../subject.ts";
import { countOf, type FilePlace, type Report, type ReportedFinding } from "./report.ts";

/** `isPretty`: on a terminal. */
export function textReport(report: Report, { isPretty }: { readonly isPretty: boolean }): string {
  const paint: Paint = isPretty
    ? (style, text) => `\x1b[${style}m${text}\x1b[0m`
    : (_, text) => text;
  const one = isPretty ? pretty : plain;
  const gaps = report.gaps.map(
    (gap) => `${paint(STYLES.warning, "not looked at")}: ${shown(gap)}\n`,
  );
  return `${report.findings.map((found) => one(found, paint)).join("")}${gaps.join("")}${summary(report)}\n`;
}

type Paint = (style: string, text: string) => string;

const STYLES: Readonly<Record<Severity | "bold" | "dim", string>> = {
  error: "31;1",
  warning: "33;1",
  note: "36",
  bold: "1",
  dim: "2",
};

function placeText({ finding, place }: ReportedFinding): string {
  if (place !== undefined) return `${place.file}:${place.line}:${place.column}`;
  const { subject, path } = finding;
  const field = pathText(path);
  const object = `${subject.namespace === "" ? "" : `${subject.namespace}/`}${nameOf(subject)}`;
  return field === "" ? object : `${object} ${field}`;
}

function plain(found: ReportedFinding): string {
  const { finding } = found;
  const { rule, severity, message } = finding;
  return `${shown(placeText(found))}: ${severity}: ${shown(message)} [${rule.id} ${rule.name}] ${rule.fix}\n`;
}

function pretty(found: ReportedFinding, paint: Paint): string {
  const { finding, place } = found;
  const { rule, severity, message } = finding;
  const head = `${paint(STYLES.bold, shown(placeText(found)))} ${paint(STYLES[severity], severity)} ${rule.id} ${paint(STYLES.dim, rule.name)}`;
  const lines = [
    head,
    `  ${shown(message)}`,
    ...(place === undefined ? [] : excerpt(place, severity, paint)),
    `  ${paint(STYLES.dim, "why:")} ${rule.why}`,
    `  ${paint(STYLES.dim, "fix:")} ${rule.fix}${finding.fix === undefined || place === undefined ? "" : " (lint --fix does it)"}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

/** Longer lines are mostly values. */
const MAX_SHOWN = 160;

function excerpt(place: FilePlace, severity: Severity, paint: Paint): readonly string[] {
  const { line, column, endLine, endColumn, sourceLine } = place;
  if (sourceLine === undefined || column > MAX_SHOWN) return [];
  const number = String(line);
  const text = shown(sourceLine.replaceAll("\t", " ").slice(0, MAX_SHOWN));
  const end = Math.min(endLine === line ? endColumn : text.length + 1, text.length + 1);
  const mark = "^".repeat(Math.max(1, end - column));
  const margin = " ".repeat(number.length);
  return [
    `  ${paint(STYLES.dim, `${number} |`)} ${text}`,
    `  ${paint(STYLES.dim, `${margin} |`)} ${" ".repeat(column - 1)}${paint(STYLES[severity], mark)}`,
  ];
}

function summary(report: Report): string {
  const { count, what } = report.looked;
  const looked = `${count} ${what}${count === 1 ? "" : "s"}`;
  if (report.findings.length === 0) return `Nothing found in ${looked}.`;
  const parts = (["error", "warning", "note"] as const).flatMap((severity) => {
    const found = countOf(report, severity);
    return found === 0 ? [] : [`${found} ${severity}${found === 1 ? "" : "s"}`];
  });
  return `${parts.join(", ")} in ${looked}.`;
}

/** Escape sequences in names and files must not reach the terminal. */
function shown(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "\ufffd");
}
