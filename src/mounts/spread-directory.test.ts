import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statfsSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { spreadDirectory } from "./spread-directory.ts";

const EXT4 = 0xef53;

describe("spreadDirectory", () => {
  it("makes the directory, and tells ext4", () => {
    using dir = tempDir();
    const path = dir.join("a", "pods");
    spreadDirectory(path, { mode: 0o750 });
    spreadDirectory(path, { mode: 0o750 });
    assert.equal(statSync(path).mode & 0o777, 0o750);
    if (statfsSync(path).type !== EXT4) return;
    const [flags = ""] = execFileSync("lsattr", ["-d", path], { encoding: "utf8" }).split(" ");
    assert.match(flags, /T/);
  });

  it("leaves a file system alone that knows nothing of it", () => {
    assert.doesNotThrow(() => spreadDirectory("/proc/self", { mode: 0o755 }));
  });
});
