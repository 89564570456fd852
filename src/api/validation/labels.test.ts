import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FieldPath } from "./field-path.ts";
import { hasInvalidSelectorValue, validateLabelSelector } from "./labels.ts";
import { told } from "./testing/judged.ts";

const path = FieldPath.of("s");
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe("Selector of labels", () => {
  it("may be absent or empty", () => {
    assert.deepEqual(validateLabelSelector(undefined, path), []);
    assert.deepEqual(validateLabelSelector({}, path), []);
  });

  it("has operators with as many values as they need", () => {
    const selector = {
      matchExpressions: [
        { key: "a", operator: "In" },
        { key: "a", operator: "DoesNotExist", values: ["x"] },
        { key: "a", operator: "Near" },
      ],
    };
    assert.deepEqual(told(validateLabelSelector(selector, path)), [
      "s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "s.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      's.matchExpressions[2].operator: Invalid value: "Near": not a valid selector operator',
    ]);
  });

  it("has values that labels can have, unless they were there before", () => {
    const selector = {
      matchLabels: { a: "?" },
      matchExpressions: [{ key: "a", operator: "In", values: ["ok", "!"] }],
    };
    assert.ok(hasInvalidSelectorValue(selector));
    assert.deepEqual(told(validateLabelSelector(selector, path)), [
      `s.matchLabels: Invalid value: "?": ${value}`,
      `s.matchExpressions[0].values[1]: Invalid value: "!": ${value}`,
    ]);
    assert.deepEqual(told(validateLabelSelector(selector, path, { allowInvalidValues: true })), [
      `s.matchLabels: Invalid value: "?": ${value}`,
    ]);
  });
});
