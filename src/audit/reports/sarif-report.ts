// -o sarif: SARIF 2.1.0, which CI systems show beside the lines. Live objects have no lines; they are logical locations.

import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { pathText } from "../finding.ts";
import { rules } from "../rules.ts";
import { nameOf } from "../subject.ts";
import type { Report, ReportedFinding } from "./report.ts";

export function sarifReport(report: Report, { version }: { readonly version: string }): string {
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "driftless", semanticVersion: version, rules: rules.map(describedRule) },
        },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: report.gaps.map((text) => ({
              level: "warning",
              message: { text },
            })),
          },
        ],
        results: report.findings.map(result),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function describedRule({ id, name, severity, what, why, fix }: (typeof rules)[number]): object {
  return {
    id,
    name: name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: `${what}.` },
    fullDescription: { text: why },
    help: { text: `${why} ${fix}` },
    defaultConfiguration: { level: severity },
  };
}

function result(found: ReportedFinding): object {
  const { rule, severity, message, subject, path } = found.finding;
  const object = `${subject.namespace}/${nameOf(subject)}`;
  const field = pathText(path);
  return {
    ruleId: rule.id,
    ruleIndex: rules.findIndex(({ id }) => id === rule.id),
    level: severity,
    message: { text: `${message} ${rule.fix}` },
    locations: [
      {
        ...physical(found),
        logicalLocations: [
          {
            name: field === "" ? subject.name : field,
            fullyQualifiedName: `${object}#${field}`,
            kind: "object",
          },
        ],
      },
    ],
    // Stays the same when lines move.
    partialFingerprints: {
      "driftlessFinding/v1": createHash("sha256")
        .update(JSON.stringify([rule.id, found.place?.file ?? "", object, path]))
        .digest("hex"),
    },
  };
}

function physical({ place }: ReportedFinding): object {
  if (place === undefined) return {};
  const { file, line, column, endLine, endColumn } = place;
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      region: { startLine: line, startColumn: column, endLine, endColumn },
    },
  };
}

/** Relative as it was given, so that it fits a checkout. */
function uriOf(file: string): string {
  const path = file
    .replace(/^(?:\.\/)+/, "")
    .split("/")
    .map(encodeURIComponent)
    .join("/");
  return isAbsolute(file) ? `file://${path}` : path;
}
