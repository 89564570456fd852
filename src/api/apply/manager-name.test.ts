import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { managerName } from "./manager-name.ts";

describe("managerName", () => {
  for (const [fieldManager, userAgent, name] of [
    ["chosen", "kubectl/v1.36.4 (linux/amd64)", "chosen"],
    ["", "kubectl/v1.36.4 (linux/amd64)", "kubectl"],
    ["", "curl", "curl"],
    ["", "", ""],
    ["", "my\tagent\u0000 x/1", "myagent x"],
    ["", "ü".repeat(100), "ü".repeat(64)],
  ] as const) {
    it(`is ${JSON.stringify(name)} for ${JSON.stringify([fieldManager, userAgent])}`, () => {
      assert.equal(managerName(fieldManager, userAgent), name);
    });
  }
});
