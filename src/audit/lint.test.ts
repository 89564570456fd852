import { deepEqual, equal, match } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type Linted, lint } from "./lint.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "driftless-lint-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function linted(names: readonly string[], isFixing = false): Linted {
  return lint({ names, isStrict: false, isFixing, isWanted: () => true });
}

const pod = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - {name: main, image: web, envFrom: [{configMapRef: {name: app}}]}
`;

describe("lint", () => {
  it("looks at a file once, however often it is named", () => {
    const file = join(directory, "pod.yaml");
    writeFileSync(file, pod);
    const once = linted([file]).report;
    const often = linted([file, directory, join(directory, ".", "pod.yaml")]).report;
    equal(often.looked.count, 1);
    deepEqual(often.findings.length, once.findings.length);
  });

  it("leaves a file alone that is not UTF-8, and says so", () => {
    const file = join(directory, "pod.yaml");
    const bytes = Buffer.concat([Buffer.from("# Stra\xdfe\n", "latin1"), Buffer.from(pod)]);
    writeFileSync(file, bytes);
    const { problems, fixed } = linted([file], true);
    match(problems.join(), /pod\.yaml: it is not UTF-8/);
    deepEqual(fixed, []);
    deepEqual(readFileSync(file), bytes);
  });
});
