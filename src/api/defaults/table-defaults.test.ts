import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import {
  bool,
  field,
  int32,
  listOf,
  mapOf,
  ref,
  string,
  type TypeSchema,
  type,
} from "../schema/schema.ts";
import { applyTableDefaults } from "./table-defaults.ts";

const inner: TypeSchema = type("Inner", "", {
  protocol: field(1, string, "", { default: "TCP" }),
  zero: field(2, int32, "", { default: 0 }),
  optional: field(3, bool, "", { pointer: true, default: false }),
  again: field(
    4,
    ref(() => inner),
    "",
  ),
});
const outer = type("Outer", "", {
  one: field(
    1,
    ref(() => inner),
    "",
  ),
  many: field(2, listOf(ref(() => inner)), ""),
  named: field(3, mapOf(ref(() => inner)), ""),
  plain: field(4, string, ""),
});

function filled(object: JsonObject): JsonObject {
  applyTableDefaults(outer, object);
  return object;
}

describe("applyTableDefaults", () => {
  const all = { protocol: "TCP", optional: false };

  it("fills in what is absent, wherever the type is used", () => {
    assert.deepEqual(filled({ one: {}, many: [{}, { protocol: "UDP" }], named: { a: {} } }), {
      one: all,
      many: [all, { ...all, protocol: "UDP" }],
      named: { a: all },
    });
  });

  it("makes no objects to put defaults into", () => {
    assert.deepEqual(filled({ plain: "x" }), { plain: "x" });
  });

  it("leaves zeros out that would be left out anyway, and keeps those that mean something", () => {
    assert.deepEqual(filled({ one: { protocol: "UDP" } }), {
      one: { protocol: "UDP", optional: false },
    });
  });

  it("keeps what is there, also if it is false", () => {
    assert.deepEqual(filled({ one: { protocol: "UDP", optional: true } }), {
      one: { protocol: "UDP", optional: true },
    });
  });

  it("goes down types that contain themselves", () => {
    assert.deepEqual(filled({ one: { again: { again: {} } } }), {
      one: { ...all, again: { ...all, again: all } },
    });
  });

  it("takes null for absent, and passes over what is no object", () => {
    assert.deepEqual(filled({ one: { protocol: null }, many: null, named: { a: null } }), {
      one: all,
      many: null,
      named: { a: null },
    });
  });
});
