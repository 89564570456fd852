import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";
import { tempDir } from "./temp-dir.ts";

describe("tempDir", () => {
  it("lives under the system's temporary directory and goes away with its scope", () => {
    let path: string;
    {
      using dir = tempDir();
      path = dir.path;
      dir.write({ "a/b/c.txt": "deep" });
      assert.ok(path.startsWith(tmpdir()));
      assert.equal(readFileSync(dir.join("a", "b", "c.txt"), "utf8"), "deep");
    }

    assert.equal(existsSync(path), false);
  });

  it("goes away when the test throws", () => {
    let path = "";
    const fail = (): void => {
      using dir = tempDir();
      path = dir.path;
      throw new Error("test failed");
    };

    assert.throws(fail, /test failed/);
    assert.equal(existsSync(path), false);
  });

  it("gives each caller a directory of its own", () => {
    using a = tempDir();
    using b = tempDir();

    assert.notEqual(a.path, b.path);
  });
});
