import assert from "node:assert/strict";
import { closeSync, openSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { ContainerFiles } from "./container-files.ts";
import { clearFailure, readFailure, reserveFailure } from "./container-state.ts";

describe("the reason why a program did not start", () => {
  it("is there before anybody tries, and blank as soon as the program starts", () => {
    using dir = tempDir();
    const files = new ContainerFiles(dir.path);
    reserveFailure(files);
    assert.equal(readFailure(files), "the launcher was not started");
    const { size } = statSync(files.failure);
    const fd = openSync(files.failure, "r+");
    clearFailure(fd);
    closeSync(fd);
    assert.equal(readFailure(files), "");
    // What has room on a full disk keeps it.
    assert.equal(statSync(files.failure).size, size);
  });
});
