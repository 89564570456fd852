import { deepEqual, equal, throws } from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { testCandidate } from "../testing/test-candidate.ts";
import { outsideManifestIn, StateDirectory } from "./state-directory.ts";

const skip = process.geteuid?.() === 0 ? false : "only root can give files to somebody else";

describe("StateDirectory", () => {
  it("is for its owner alone, also if it was there before", () => {
    using dir = tempDir();
    mkdirSync(dir.join("state"));
    chmodSync(dir.join("state"), 0o777);
    const state = new StateDirectory(dir.join("state"));
    state.open();
    equal(statSync(dir.join("state")).mode & 0o777, 0o700);
    equal(state.path, dir.join("state"));
  });

  it("has a directory of its own in one of somebody else, such as the root of a mount", {
    skip,
  }, () => {
    using dir = tempDir();
    mkdirSync(dir.join("mount"));
    chownSync(dir.join("mount"), 12_345, 0);
    const state = new StateDirectory(dir.join("mount"));
    state.open();
    state.writeGood(testCandidate({ a: "1" }));
    deepEqual(readdirSync(dir.join("mount")), ["driftless"]);
    equal(outsideManifestIn(dir.join("mount")), dir.join("mount/driftless/outside"));
    equal(new StateDirectory(dir.join("mount")).readGood()?.files.size, 1);
  });

  it("takes nothing for its own that somebody else has put there", { skip }, () => {
    using dir = tempDir();
    mkdirSync(dir.join("mount/driftless"), { recursive: true });
    for (const path of ["mount", "mount/driftless"]) chownSync(dir.join(path), 12_345, 0);
    throws(() => new StateDirectory(dir.join("mount")).open(), /belongs to user 12345/);
    mkdirSync(dir.join("other"));
    mkdirSync(dir.join("elsewhere"));
    symlinkSync(dir.join("elsewhere"), dir.join("other/driftless"));
    chownSync(dir.join("other"), 12_345, 0);
    throws(() => new StateDirectory(dir.join("other")).open(), /is no directory|is a link/);
  });

  it("follows a link at a place that it was given, and none in an output", () => {
    using dir = tempDir();
    dir.write({ "elsewhere/of-others.new": "here", "out/file": "" });
    chmodSync(dir.join("elsewhere"), 0o755);
    symlinkSync(dir.join("elsewhere"), dir.join("out/..driftless"));
    throws(() => new StateDirectory(dir.join("out/..driftless")).open(), /is a link/);
    deepEqual(readdirSync(dir.join("elsewhere")), ["of-others.new"]);
    equal(statSync(dir.join("elsewhere")).mode & 0o777, 0o755);
    mkdirSync(dir.join("kept"));
    symlinkSync(dir.join("kept"), dir.join("given"));
    const state = new StateDirectory(dir.join("given"));
    state.open();
    state.writeGood(testCandidate({ a: "1" }));
    deepEqual(readdirSync(dir.join("kept")), ["good"]);
  });
});
