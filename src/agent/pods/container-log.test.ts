import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { removeContainerLog } from "./container-log.ts";

describe("removeContainerLog", () => {
  it("removes a log and what was rotated of it, and nothing else", () => {
    using dir = tempDir();
    const stamp = "20261116-055856";
    dir.write({
      "app/1.log": "",
      [`app/1.log.${stamp}`]: "",
      [`app/1.log.${stamp}.gz`]: "",
      [`app/1.log.${stamp}.tmp`]: "",
      "app/1.log.mine": "",
      "app/11.log": "",
      [`app/2.log.${stamp}`]: "",
    });

    removeContainerLog({ logPath: dir.join("app/1.log") });

    const left = readdirSync(dir.join("app")).sort();
    assert.deepEqual(left, ["1.log.mine", "11.log", `2.log.${stamp}`]);
  });

  it("does not mind if there is none", () => {
    using dir = tempDir();
    removeContainerLog({ logPath: join(dir.path, "gone/0.log") });
    assert.deepEqual(readdirSync(dir.path), []);
  });
});
