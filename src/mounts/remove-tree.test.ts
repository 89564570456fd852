import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { removeTree } from "./remove-tree.ts";

/** Directories one in another, with a path of some 6000 bytes. */
function makeDeep(directory: string): void {
  const script = `
    const { chdir } = process; const { mkdirSync, writeFileSync } = require("node:fs");
    for (let depth = 0; depth < 60; depth++) {
      const name = "d".repeat(100);
      mkdirSync(name); writeFileSync("file", "x"); chdir(name);
    }`;
  execFileSync(process.execPath, ["-e", script], { cwd: directory });
}

describe("removeTree", () => {
  it("removes a tree whose paths are longer than the kernel takes", async () => {
    using dir = tempDir();
    mkdirSync(dir.join("volume/deep"), { recursive: true });
    makeDeep(dir.join("volume/deep"));
    // In the way of what it does.
    dir.write({ "volume/flat-0": "", "volume/flat-1/x": "" });
    writeFileSync(Buffer.concat([Buffer.from(dir.join("volume/")), Buffer.from([0xff])]), "");
    await removeTree(dir.join("volume"));
    assert.deepEqual(readdirSync(dir.path), []);
  });

  it("removes links and not what they lead to", async () => {
    using dir = tempDir();
    dir.write({ "outside/keep": "", "volume/deep/f": "" });
    makeDeep(dir.join("volume/deep"));
    symlinkSync(dir.join("outside"), dir.join("volume/deep/out"));
    await removeTree(dir.join("volume"));
    assert.ok(!existsSync(dir.join("volume")));
    assert.deepEqual(readdirSync(dir.join("outside")), ["keep"]);
  });

  it("does nothing if there is nothing", async () => {
    using dir = tempDir();
    await removeTree(dir.join("nothing"));
  });
});
