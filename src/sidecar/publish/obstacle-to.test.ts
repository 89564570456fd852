import { equal } from "node:assert/strict";
import { statSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { obstacleTo } from "./obstacle-to.ts";

describe("obstacleTo", () => {
  it("is nothing where a directory is there or could be made, and makes none", () => {
    using dir = tempDir();
    equal(obstacleTo(dir.path), undefined);
    equal(obstacleTo(dir.join("a/b")), undefined);
    equal(statSync(dir.join("a"), { throwIfNoEntry: false }), undefined);
  });

  it("says what is in the way", () => {
    using dir = tempDir();
    dir.write({ file: "" });
    equal(obstacleTo(dir.join("file")), `${dir.join("file")} is no directory`);
    equal(obstacleTo(dir.join("file/below")), `${dir.join("file")} is no directory`);
  });
});
