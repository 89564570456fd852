// -o json: one document, for scripts.

import { pathText } from "../finding.ts";
import { countOf, type Report } from "./report.ts";

export function jsonReport(report: Report): string {
  const findings = report.findings.map(({ finding, place }) => {
    const { rule, severity, subject, message, path, fix } = finding;
    const { kind, namespace, name } = subject;
    const { sourceLine: _, ...where } = place ?? {};
    return {
      ...{ id: rule.id, rule: rule.name, severity, message, why: rule.why, fix: rule.fix },
      fixable: fix !== undefined && place !== undefined,
      ...where,
      object: { kind, namespace, name, field: pathText(path) },
    };
  });
  const summary = {
    errors: countOf(report, "error"),
    warnings: countOf(report, "warning"),
    notes: countOf(report, "note"),
    looked: report.looked.count,
  };
  return `${JSON.stringify({ findings, gaps: report.gaps, summary }, null, 2)}\n`;
}
