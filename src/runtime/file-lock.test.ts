import assert from "node:assert/strict";
import { test } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { lockFile } from "./file-lock.ts";

test("a lock is had by one at a time, and by the next when it is let go", () => {
  using dir = tempDir();
  const first = lockFile(dir.join("lock"));
  assert.ok(first);
  assert.equal(lockFile(dir.join("lock")), undefined);
  first[Symbol.dispose]();
  using second = lockFile(dir.join("lock"));
  assert.ok(second);
});
