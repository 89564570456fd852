// What all forms of output are made of: findings with their places, and what could not be looked at.

import type { Finding } from "../finding.ts";
import { isAtLeast, type Severity } from "../rules.ts";

/** Both counted from 1; the end is after the last character. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** The line as it is written; missing where it might show a Secret. */
  readonly sourceLine?: string;
}

export interface ReportedFinding {
  readonly finding: Finding;
  /** Missing for live objects. */
  readonly place?: FilePlace;
}

export interface Report {
  readonly findings: readonly ReportedFinding[];
  /** How much was looked at, for the last line. */
  readonly looked: { readonly count: number; readonly what: "file" | "object" };
  /** What was not looked at, as sentences: lists that were refused. */
  readonly gaps: readonly string[];
}

export function countOf({ findings }: Report, severity: Severity): number {
  return findings.filter(({ finding }) => finding.severity === severity).length;
}

/** The exit code: 1 if there is anything that bad. */
export function exitCodeOf({ findings }: Report, failOn: Severity): 0 | 1 {
  return findings.some(({ finding }) => isAtLeast(finding.severity, failOn)) ? 1 : 0;
}
