import { equal, throws } from "node:assert/strict";
import { statSync, symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { ensureDirectory } from "./ensure-directory.ts";

describe("ensureDirectory", () => {
  it("makes those above, through links, and takes what is there", () => {
    using dir = tempDir();
    dir.write({ "real/file": "" });
    symlinkSync("real", dir.join("link"));
    for (const path of ["link/a/b/c", "link/a/b/c", "real/a"])
      ensureDirectory(dir.join(path), 0o750);
    equal(statSync(dir.join("real/a/b/c")).mode & 0o777, 0o750);
  });

  it("says what is in the way", () => {
    using dir = tempDir();
    dir.write({ file: "" });
    throws(() => ensureDirectory(dir.join("file")), { code: "EEXIST" });
    throws(() => ensureDirectory(dir.join("file/below")), { code: "EEXIST" });
  });

  it("ends where nothing can be made", () => {
    throws(() => ensureDirectory("/proc/nowhere/below"), { code: "ENOENT" });
  });
});
