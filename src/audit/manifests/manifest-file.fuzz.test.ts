// Whatever is in a file: findings, or the error that names its line.

import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { damagedText, fuzz } from "../../api/testing/fuzz.ts";
import { configFacts } from "../config-facts.ts";
import { ConfigIndex } from "../config-index.ts";
import { judge } from "../judge.ts";
import { ignoredBy } from "./ignore-comments.ts";
import { regionOf } from "./locate.ts";
import { ManifestError, readManifestFile } from "./manifest-file.ts";
import { editFor, withEdits } from "./text-edits.ts";

const DATA = new URL("../../../test/lint/testdata/", import.meta.url).pathname;
/** Short ones: damage should hit what means something. */
const texts = globSync(`${DATA}{faulty,clean,fix}/*.{yaml,json}`)
  .toSorted()
  .map((file) => readFileSync(file, "utf8"))
  .filter((text) => text.length < 1500);

function lintText(text: string): void {
  const file = readManifestFile("file.yaml", text);
  const index = new ConfigIndex(file.subjects.flatMap((subject) => configFacts(subject) ?? []));
  const world = { index, isStrict: false, isLive: false, subPathFollows: false };
  const findings = [...file.findings, ...file.subjects.flatMap((subject) => judge(subject, world))];
  const ignored = ignoredBy(text);
  const edits = findings.flatMap((finding) => {
    if (finding.subject.source === undefined) throw new Error("a finding without a place");
    const { line, column } = regionOf(file, finding.subject.source, finding.path);
    if (!(line >= 1 && column >= 1)) throw new Error(`${finding.rule.id} at ${line}:${column}`);
    ignored(finding.rule.id, line);
    return editFor(file, finding) ?? [];
  });
  withEdits(text, edits);
}

describe("a damaged manifest", () => {
  it("is judged or refused with its line, and never crashes anything", () => {
    fuzz({ input: damagedText(...texts), throws: [ManifestError], run: lintText });
  });
});
