// `driftless lint`: reads manifests, judges all of them together, since references lead from one file to another, and fixes what is safe.

import { resolve } from "node:path";
import type { World } from "./checks/world.ts";
import { configFacts } from "./config-facts.ts";
import { ConfigIndex } from "./config-index.ts";
import type { Finding } from "./finding.ts";
import { judge } from "./judge.ts";
import { type FoundFile, findFiles } from "./manifests/find-files.ts";
import { type Ignored, ignoredBy } from "./manifests/ignore-comments.ts";
import { regionOf } from "./manifests/locate.ts";
import { ManifestError, type ManifestFile, readManifestFile } from "./manifests/manifest-file.ts";
import { replaceFile } from "./manifests/replace-file.ts";
import { editFor, type TextEdit, withEdits } from "./manifests/text-edits.ts";
import type { Report, ReportedFinding } from "./reports/report.ts";

export interface LintOptions {
  /** Files and directories. */
  readonly names: readonly string[];
  /** What "-" stands for, if it was given. */
  readonly stdin?: string;
  readonly isStrict: boolean;
  readonly isFixing: boolean;
  /** Rules that count. */
  readonly isWanted: (ruleId: string) => boolean;
}

export interface Linted {
  readonly report: Report;
  /** Files that could not be read: "FILE:LINE:COLUMN: why". */
  readonly problems: readonly string[];
  /** What was fixed: "FILE:LINE: DL002 put the value in quotes". */
  readonly fixed: readonly string[];
}

const STDIN = "-";

/** What cannot be read is among the problems. Throws ManifestError if a fixed file cannot be written. */
export function lint(options: LintOptions): Linted {
  const problems: string[] = [];
  const named = options.names.flatMap((name) => readable(name, options, problems));
  // A file may be named, and be in a directory that is named: its objects are there once.
  const found = new Map(named.map((file) => [resolve(file.name), file])).values();
  let files: readonly ManifestFile[] = [...found].flatMap((file) => parsed(file, problems));
  const fixed: string[] = [];
  if (options.isFixing) {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = fixFiles(files, findingsIn(files, options), fixed);
      if (next === undefined) break;
      files = next;
    }
  }
  const looked = { count: files.length, what: "file" } as const;
  return { report: { findings: findingsIn(files, options), looked, gaps: [] }, problems, fixed };
}

/** A fix can uncover another finding in the same place; none goes round in circles. */
const MAX_ROUNDS = 5;

function readable(
  name: string,
  { stdin = "" }: LintOptions,
  problems: string[],
): readonly FoundFile[] {
  if (name === STDIN) return [{ name: STDIN, text: stdin }];
  return collected(problems, () => findFiles(name)) ?? [];
}

function parsed({ name, text }: FoundFile, problems: string[]): readonly ManifestFile[] {
  const file = collected(problems, () => readManifestFile(name, text));
  if (file !== undefined) return [file];
  const last = problems.at(-1) ?? "";
  if (/\{\{[-\s]/.test(text) || text.includes("{{.")) {
    problems[problems.length - 1] =
      `${last} (this looks like a template: render it first, as in "helm template . | driftless lint -")`;
  }
  return [];
}

function collected<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (err) {
    if (!(err instanceof ManifestError)) throw err;
    problems.push(err.message);
    return undefined;
  }
}

/** File by file, line by line. */
function findingsIn(
  files: readonly ManifestFile[],
  options: LintOptions,
): readonly ReportedFinding[] {
  const subjects = files.flatMap((file) => file.subjects);
  const index = new ConfigIndex(subjects.flatMap((subject) => configFacts(subject) ?? []));
  const world: World = { index, isStrict: options.isStrict, isLive: false, subPathFollows: false };
  return files.flatMap((file) => {
    const ignored = ignoredBy(file.text);
    const findings = [
      ...file.findings,
      ...file.subjects.flatMap((subject) => judge(subject, world)),
    ];
    return findings
      .filter(({ rule }) => options.isWanted(rule.id))
      .flatMap((finding) => placed(file, finding, ignored))
      .toSorted(byPlace);
  });
}

function placed(
  file: ManifestFile,
  finding: Finding,
  ignored: Ignored,
): readonly ReportedFinding[] {
  const { subject, path, rule } = finding;
  if (subject.source === undefined) return [];
  const region = regionOf(file, subject.source, path);
  if (ignored(rule.id, region.line)) return [];
  const isSecret = subject.kind === "Secret";
  const sourceLine = isSecret ? undefined : lineOf(file, region.line);
  const line = sourceLine === undefined ? {} : { sourceLine };
  return [{ finding, place: { file: file.name, ...region, ...line } }];
}

function lineOf({ text, lines }: ManifestFile, line: number): string | undefined {
  const start = lines.lineStarts[line - 1];
  if (start === undefined) return undefined;
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? undefined : end).replace(/\r$/, "");
}

function byPlace(a: ReportedFinding, b: ReportedFinding): number {
  const [first, second] = [a.place, b.place];
  const lines = (first?.line ?? 0) - (second?.line ?? 0);
  const columns = (first?.column ?? 0) - (second?.column ?? 0);
  const ids = a.finding.rule.id < b.finding.rule.id ? -1 : 1;
  return lines || columns || ids;
}

/** Writes what changes; undefined if nothing does. */
function fixFiles(
  files: readonly ManifestFile[],
  findings: readonly ReportedFinding[],
  fixed: string[],
): readonly ManifestFile[] | undefined {
  let isChanged = false;
  const next = files.map((file) => {
    const edits = new Map<string, TextEdit & { readonly told: string }>();
    for (const { finding, place } of findings) {
      const edit = place?.file === file.name ? editFor(file, finding) : undefined;
      if (edit === undefined || place === undefined) continue;
      const told = `${file.name}:${file.lines.linePos(edit.start).line}: ${finding.rule.id} ${edit.done}`;
      edits.set(`${edit.start} ${edit.text}`, { ...edit, told });
    }
    if (edits.size === 0) return file;
    const changed = edited(file, [...edits.values()]);
    if (changed === undefined) return file;
    replaceFile(file.name, changed.text);
    fixed.push(...[...edits.values()].map(({ told }) => told));
    isChanged = true;
    return changed;
  });
  return isChanged ? next : undefined;
}

/** Undefined if the result could not be read, or has other objects in it: then nothing is written. */
function edited(file: ManifestFile, edits: readonly TextEdit[]): ManifestFile | undefined {
  const text = withEdits(file.text, edits);
  const next = collected([], () => readManifestFile(file.name, text));
  if (next === undefined || text === file.text) return undefined;
  const kinds = (of: ManifestFile): string => of.subjects.map(({ kind }) => kind).join();
  return kinds(next) === kinds(file) ? next : undefined;
}
