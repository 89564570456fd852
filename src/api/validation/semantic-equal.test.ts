import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../json.ts";
import { semanticEqual } from "./semantic-equal.ts";

describe("semanticEqual", () => {
  it("takes null and empty lists for absent, at any depth", () => {
    assert.ok(semanticEqual({ a: { b: [], c: null } }, { a: {} }));
    assert.ok(semanticEqual(undefined, []));
    assert.ok(semanticEqual([{ a: [] }], [{}]));
  });

  it("tells an empty object from none", () => {
    assert.ok(!semanticEqual({ emptyDir: {} }, {}));
  });

  it("tells zero, false and the empty text from none", () => {
    for (const zero of [0, false, ""]) assert.ok(!semanticEqual({ a: zero }, {}));
  });

  it("looks at own keys only", () => {
    assert.ok(!semanticEqual({ constructor: "x" }, {}));
    assert.ok(!semanticEqual({}, { constructor: "x" }));
  });

  it("holds for a copy, both ways, and for nothing that was changed", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const one = value as JsonValue;
        const copy = structuredClone(one);
        assert.ok(semanticEqual(one, copy) && semanticEqual(copy, one));
        assert.ok(!semanticEqual([one, "x"], [copy, "y"]));
        assert.ok(!semanticEqual({ one, more: 1 }, { one: copy }));
        assert.ok(!semanticEqual({ one }, { one: copy, more: 1 }));
      }),
    );
  });
});
