import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../json.ts";
import { field, int32, listOf, mapOf, ref, string, type } from "../schema/schema.ts";
import { restoreTableOrder } from "./table-order.ts";

const item = type("Item", "", {
  a: field(1, string, ""),
  b: field(2, string, ""),
  c: field(3, string, ""),
});
const table = type("Table", "", {
  first: field(
    1,
    ref(() => item),
    "",
  ),
  second: field(2, listOf(ref(() => item)), ""),
  third: field(3, mapOf(ref(() => item)), ""),
  fourth: field(4, int32, ""),
});

function ordered(object: JsonObject): string {
  restoreTableOrder(table, object);
  return JSON.stringify(object);
}

describe("restoreTableOrder", () => {
  it("puts fields where the table has them, at every depth", () => {
    assert.equal(
      ordered({ fourth: 1, second: [{ c: "", a: "" }], first: { b: "", a: "" } }),
      '{"first":{"a":"","b":""},"second":[{"a":"","c":""}],"fourth":1}',
    );
  });

  it("sorts the keys of maps", () => {
    assert.equal(
      ordered({ third: { b: { c: "", a: "" }, a: {} } }),
      '{"third":{"a":{},"b":{"a":"","c":""}}}',
    );
  });

  it("leaves objects alone that are in order", () => {
    const first = { a: "", c: "" };
    const object = { first, second: [first] };
    restoreTableOrder(table, object);
    assert.equal(object.first, first);
    assert.equal(object.second[0], first);
  });

  it("leaves maps alone whose keys are numbers, which nobody can put into another order", () => {
    const third = Object.freeze({ 9: {}, 10: {}, a: {}, b: {} });
    const object = { third };
    restoreTableOrder(table, object);
    assert.equal(object.third, third);
  });

  it("loses and adds nothing, whatever the order was", () => {
    const items = fc.shuffledSubarray(["a", "b", "c", "unknown"]).map((names) => {
      return Object.fromEntries(names.map((name) => [name, name]));
    });
    const objects = fc.record(
      {
        fourth: fc.integer(),
        third: fc.dictionary(fc.string(), items, { noNullPrototype: true }),
        second: fc.array(items),
        first: items,
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(objects, (object) => {
        const copy = structuredClone(object) as JsonObject;
        restoreTableOrder(table, copy);
        assert.deepEqual(copy, object);
        const once = JSON.stringify(copy);
        assert.equal(ordered(copy), once);
      }),
    );
  });
});
