import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { labelMatcher, labelSelectorText } from "./label-selector.ts";

const labels = { app: "web", tier: "front" };

describe("labelMatcher", () => {
  it("matches nothing without a selector, and everything with an empty one", () => {
    assert.equal(labelMatcher(undefined)?.matches(labels), false);
    assert.equal(labelMatcher(null)?.isEmpty, false);
    assert.equal(labelMatcher({})?.matches(undefined), true);
    assert.equal(labelMatcher({})?.isEmpty, true);
  });

  it("needs all labels and all expressions", () => {
    const matches = (operator: string, values?: readonly string[]): boolean | undefined =>
      labelMatcher({
        matchLabels: { app: "web" },
        matchExpressions: [{ key: "tier", operator, ...(values && { values }) }],
      })?.matches(labels);
    assert.equal(matches("In", ["front", "back"]), true);
    assert.equal(matches("NotIn", ["front"]), false);
    assert.equal(matches("Exists"), true);
    assert.equal(matches("DoesNotExist"), false);
    assert.equal(labelMatcher({ matchLabels: { app: "db" } })?.matches(labels), false);
  });

  it("does not know a label that is missing", () => {
    const of = (operator: string): boolean | undefined =>
      labelMatcher({ matchExpressions: [{ key: "x", operator, values: ["y"] }] })?.matches(labels);
    assert.equal(of("In"), false);
    assert.equal(of("NotIn"), true);
  });

  it("is undefined for a selector that cannot be used", () => {
    assert.equal(labelMatcher({ matchLabels: { "bad key": "x" } }), undefined);
    assert.equal(labelMatcher({ matchExpressions: [{ key: "a", operator: "?" }] }), undefined);
  });
});

describe("labelSelectorText", () => {
  it("is empty for no selector", () => {
    assert.equal(labelSelectorText(undefined), "");
    assert.equal(labelSelectorText({ matchLabels: { b: "2", a: "1" } }), "a=1,b=2");
  });
});
