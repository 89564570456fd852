import assert from "node:assert/strict";
import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../../base/testing/temp-dir.ts";
import { removeTree } from "../../../mounts/remove-tree.ts";
import { diskUsage } from "./disk-usage.ts";

const MB = 1_000_000;
const content = Buffer.alloc(MB, 1);

describe("diskUsage", () => {
  it("counts files with several names once, and follows no link", async () => {
    using dir = tempDir();
    mkdirSync(dir.join("sub"));
    writeFileSync(dir.join("sub/file"), content);
    const used = await diskUsage(dir.path);
    assert.ok(used >= MB && used < 1.1 * MB, `${used} bytes`);
    linkSync(dir.join("sub/file"), dir.join("same"));
    symlinkSync("/", dir.join("machine"));
    assert.ok((await diskUsage(dir.path)) < 1.1 * MB);
  });

  it("counts what has a name that is no text", async () => {
    using dir = tempDir();
    writeFileSync(Buffer.concat([Buffer.from(`${dir.path}/`), Buffer.from([0xff, 0xfe])]), content);
    assert.ok((await diskUsage(dir.path)) >= MB);
  });

  it("counts what is deeper than a path can say", async () => {
    using dir = tempDir();
    const level = "d".repeat(200);
    mkdirSync(dir.join("all"));
    writeFileSync(dir.join("all/file"), content);
    for (let depth = 0; depth < 60; depth++) {
      mkdirSync(dir.join("next"));
      renameSync(dir.join("all"), dir.join("next", level));
      renameSync(dir.join("next"), dir.join("all"));
    }
    try {
      assert.ok((await diskUsage(dir.path)) >= MB);
    } finally {
      await removeTree(dir.join("all"));
    }
  });

  it("says that there is no such directory", async () => {
    using dir = tempDir();
    await assert.rejects(diskUsage(dir.join("gone")), { code: "ENOENT" });
  });
});
