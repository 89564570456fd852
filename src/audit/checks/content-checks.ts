// What is in a ConfigMap or Secret: sizes, keys, and text that surprises its readers. Messages name keys, never values.

import { isReloadAnnotation } from "../../api/config/reload-rules.ts";
import type { ConfigMap, Secret } from "../../api/types.ts";
import { type ConfigFacts, configFacts } from "../config-facts.ts";
import { type Finding, found } from "../finding.ts";
import { annotationsOf, nameOf, type Subject } from "../subject.ts";

const MAX_BYTES = 1024 * 1024;
const LARGE_BYTES = 512 * 1024;
const MAX_KEY_LENGTH = 253;

/** Nothing for other kinds. */
export function contentFindings(subject: Subject): readonly Finding[] {
  const facts = configFacts(subject);
  if (facts === undefined) return [];
  return [
    ...sizeFindings(subject, facts),
    ...keyFindings(subject),
    ...textFindings(subject),
    ...misplaced(subject),
  ];
}

function sizeFindings(subject: Subject, { keys }: ConfigFacts): readonly Finding[] {
  const bytes = [...(keys?.values() ?? [])].reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= LARGE_BYTES) return [];
  const rule = bytes > MAX_BYTES ? "too-large" : "large";
  const kib = Math.ceil(bytes / 1024);
  return [found(rule, { subject, path: ["metadata"] }, `${nameOf(subject)} holds ${kib} KiB.`)];
}

const MAPS = ["data", "binaryData", "stringData"] as const;

interface Entry {
  readonly map: (typeof MAPS)[number];
  readonly key: string;
  readonly value: string;
}

function entriesOf({ object }: Subject): readonly Entry[] {
  const maps = object as Pick<ConfigMap, "data" | "binaryData"> & Pick<Secret, "stringData">;
  return MAPS.flatMap((map) =>
    Object.entries(maps[map] ?? {}).map(([key, value]) => ({ map, key, value })),
  );
}

function keyFindings(subject: Subject): readonly Finding[] {
  const seen = new Map<string, string>();
  return entriesOf(subject).flatMap(({ map, key }) => {
    const at = { subject, path: [map, key] };
    const findings: Finding[] = [];
    if (!isAllowedKey(key)) {
      findings.push(found("bad-key", at, `The key ${JSON.stringify(key)} is not allowed.`));
    }
    const other = seen.get(key);
    if (other !== undefined) {
      const message = `The key ${JSON.stringify(key)} is in ${other} and in ${map}.`;
      const severity = subject.kind === "ConfigMap" ? "error" : "warning";
      findings.push(found("key-twice", at, message, { severity }));
    }
    seen.set(key, map);
    return findings;
  });
}

function isAllowedKey(key: string): boolean {
  if (key.length > MAX_KEY_LENGTH || !/^[-._a-zA-Z0-9]+$/.test(key)) return false;
  return key !== "." && !key.startsWith("..");
}

function textFindings(subject: Subject): readonly Finding[] {
  return entriesOf(subject).flatMap(({ map, key, value }) => {
    if (map === "binaryData") return [];
    const isText = subject.kind === "ConfigMap" || map === "stringData";
    const content = isText ? value : Buffer.from(value, "base64").toString("utf8");
    const at = { subject, path: [map, key] };
    const name = JSON.stringify(key);
    const findings: Finding[] = [];
    if (content.startsWith("\ufeff")) {
      findings.push(found("byte-order-mark", at, `${name} begins with a byte order mark.`));
    }
    if (content.includes("\r\n")) {
      findings.push(found("line-ends", at, `${name} has Windows line ends.`));
    }
    return findings;
  });
}

function misplaced(subject: Subject): readonly Finding[] {
  const asking = /^(?:(?:configmap|secret)\.)?reloader\.stakater\.com\/(?:auto|search|reload)$/;
  return Object.keys(annotationsOf(subject.metadata)).flatMap((name) => {
    if (!isReloadAnnotation(name) && !asking.test(name)) return [];
    const at = { subject, path: ["metadata", "annotations", name] };
    const message = `${name} on ${nameOf(subject)} has no effect: it belongs on the workload.`;
    return [found("reload-misplaced", at, message)];
  });
}
