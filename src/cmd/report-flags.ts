// The flags that `lint` and `audit` share: what counts, how it is shown, and when it is a failure.

import { type Command, InvalidArgumentError, Option } from "commander";
import { jsonReport } from "../audit/reports/json-report.ts";
import type { Report } from "../audit/reports/report.ts";
import { sarifReport } from "../audit/reports/sarif-report.ts";
import { textReport } from "../audit/reports/text-report.ts";
import { findRule, type Severity } from "../audit/rules.ts";
import { productVersion } from "./version.ts";

export interface ReportFlags {
  readonly output: "text" | "json" | "sarif";
  readonly failOn: Severity;
  /** Ids. */
  readonly rule: readonly string[];
  readonly ignore: readonly string[];
}

export function withReportFlags(command: Command): Command {
  return command
    .addOption(
      new Option("-o, --output <format>", "how it is shown")
        .choices(["text", "json", "sarif"])
        .default("text"),
    )
    .addOption(
      new Option("--fail-on <severity>", "end with 1 from this severity on")
        .choices(["error", "warning", "note"])
        .default("warning"),
    )
    .option("--rule <rules>", "only these, by id or name (comma, or repeat it)", ruleIds, [])
    .option("--ignore <rules>", "all but these", ruleIds, []);
}

export function isWanted({ rule, ignore }: ReportFlags): (ruleId: string) => boolean {
  return (id) => (rule.length === 0 || rule.includes(id)) && !ignore.includes(id);
}

export function reportText(report: Report, { output }: ReportFlags, isPretty: boolean): string {
  switch (output) {
    case "json":
      return jsonReport(report);
    case "sarif":
      return sarifReport(report, { version: productVersion() });
    case "text":
      return textReport(report, { isPretty });
  }
}

function ruleIds(value: string, all: readonly string[]): readonly string[] {
  const ids = value.split(",").map((word) => {
    const rule = findRule(word);
    if (rule === undefined) {
      throw new InvalidArgumentError(
        `There is no rule ${JSON.stringify(word)}: "driftless lint --rules" lists them.`,
      );
    }
    return rule.id;
  });
  return [...all, ...ids];
}
