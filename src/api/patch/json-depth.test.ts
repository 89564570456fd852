import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../json.ts";
import { jsonDepth } from "./json-depth.ts";

describe("jsonDepth", () => {
  it("counts the lists and objects around the deepest value", () => {
    assert.equal(jsonDepth(1), 0);
    assert.equal(jsonDepth({}), 1);
    assert.equal(jsonDepth({ a: [1, { b: {} }], c: 1 }), 4);
  });

  it("has no limit of its own", () => {
    let value: JsonValue = [];
    for (let i = 0; i < 100_000; i++) value = [value];
    assert.equal(jsonDepth(value), 100_001);
  });
});
