import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { findProgram } from "./find-program.ts";

describe("findProgram", () => {
  it("takes the first executable file of the search path, and passes over directories and other files", () => {
    using dir = tempDir();
    mkdirSync(dir.join("a/tool"), { recursive: true });
    dir.write({ "b/tool": "", "c/tool": "", "d/tool": "" });
    chmodSync(dir.join("c/tool"), 0o755);
    chmodSync(dir.join("d/tool"), 0o755);
    const path = ["a", "missing", "b", "c", "d"].map((name) => dir.join(name)).join(":");
    assert.equal(findProgram("tool", path), dir.join("c/tool"));
  });

  it("takes a command with a slash as it is, and does not search for it", () => {
    using dir = tempDir();
    dir.write({ tool: "" });
    chmodSync(dir.join("tool"), 0o755);
    assert.equal(findProgram(dir.join("tool"), ""), dir.join("tool"));
    assert.throws(() => findProgram("./tool", dir.path), {
      message: 'exec: "./tool": stat ./tool: no such file or directory',
    });
  });

  it("says why there is nothing to run", () => {
    using dir = tempDir();
    dir.write({ "b/tool": "" });
    assert.throws(() => findProgram("nothing", dir.path), {
      message: 'exec: "nothing": executable file not found in $PATH',
    });
    assert.throws(() => findProgram("tool", dir.join("b")), {
      message: 'exec: "tool": permission denied',
    });
    assert.throws(() => findProgram(dir.join("b"), ""), {
      message: `exec: "${dir.join("b")}": is a directory`,
    });
    assert.throws(() => findProgram("", dir.path), /not found/);
    assert.throws(() => findProgram("tool", ""), /not found/);
  });
});
