import { deepEqual, equal, match, throws } from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { currentProcess } from "../../files/process-identity.ts";
import { testCandidate } from "../testing/test-candidate.ts";
import { VolumeOutput } from "./volume-output.ts";

function outputIn(directory: string): VolumeOutput {
  const needs = { clock: systemClock, random: systemRandom, logger: new CaptureLogger() };
  return new VolumeOutput({ directory, self: currentProcess(), ...needs });
}

describe("VolumeOutput", () => {
  it("refuses to replace a file that was there before it, and leaves everything as it was", () => {
    using dir = tempDir();
    dir.write({ "nginx.conf": "mine" });
    const output = outputIn(dir.path);
    const set = testCandidate({ "nginx.conf": "theirs", other: "1" });
    match(output.obstacle(set) ?? "", /nginx\.conf": a file that the sidecar did not write/);
    throws(() => output.write(set), /a file that the sidecar did not write is in its place/);
    equal(readFileSync(dir.join("nginx.conf"), "utf8"), "mine");
    deepEqual([...output.read().keys()], []);
    rmSync(dir.join("nginx.conf"));
    equal(output.obstacle(set), undefined);
    equal(output.write(set), "written");
  });

  it("refuses it as well for a file that comes into the set later", () => {
    using dir = tempDir();
    const output = outputIn(dir.path);
    output.write(testCandidate({ a: "1" }));
    dir.write({ b: "mine" });
    throws(() => output.write(testCandidate({ a: "2", "b/c": "2" })), /Cannot write "b"/);
    equal(readFileSync(dir.join("a"), "utf8"), "1");
    equal(readFileSync(dir.join("b"), "utf8"), "mine");
  });

  it("mends a link of its own that somebody has replaced", () => {
    using dir = tempDir();
    const output = outputIn(dir.path);
    output.write(testCandidate({ a: "1" }));
    rmSync(dir.join("a"));
    writeFileSync(dir.join("a"), "broken");
    output.write(testCandidate({ a: "2" }));
    equal(readFileSync(dir.join("a"), "utf8"), "2");
  });
});
