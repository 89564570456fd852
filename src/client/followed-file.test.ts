import { equal, throws } from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { FollowedFile } from "./followed-file.ts";

describe("FollowedFile", () => {
  it("sees a file that took the place of another of the same length", () => {
    using directory = tempDir();
    directory.write({ token: "one", next: "two" });
    const followed = new FollowedFile(directory.join("token"));
    equal(followed.read(), "one");
    renameSync(directory.join("next"), directory.join("token"));
    equal(followed.read(), "two");
  });

  it("keeps what it had while the file is away, and throws if it never had anything", () => {
    using directory = tempDir();
    const followed = new FollowedFile(directory.join("token"));
    throws(() => followed.read(), { code: "ENOENT" });
    directory.write({ token: "one" });
    equal(followed.read(), "one");
    rmSync(directory.join("token"));
    equal(followed.read(), "one");
  });
});
