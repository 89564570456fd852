import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { strictErrors } from "./decode-strictness.ts";

describe("strictErrors", () => {
  it("words duplicate and unknown fields as the API does", () => {
    assert.deepEqual(strictErrors({ duplicates: ["data.a"] }, ["spec.foo", 'odd"']), [
      'duplicate field "data.a"',
      'unknown field "spec.foo"',
      'unknown field "odd\\""',
    ]);
  });

  it("tells nothing of what is within an unknown field", () => {
    const duplicates = ["x", "x.a", "x[0].b", "xy"];
    assert.deepEqual(strictErrors({ duplicates }, ["x"]), [
      'duplicate field "xy"',
      'unknown field "x"',
    ]);
  });

  it("gives duplicates in YAML by line, in one text", () => {
    const told = 'yaml: unmarshal errors:\n  line 2: key "a" already set in map';
    assert.deepEqual(strictErrors({ duplicates: ["a"], duplicatesInYaml: told }, ["b"]), [
      told,
      'unknown field "b"',
    ]);
  });
});
