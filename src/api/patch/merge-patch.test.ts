import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { StatusError } from "../status-error.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { getOwn } from "./own-property.ts";

const cases: readonly {
  readonly name: string;
  readonly target: JsonObject;
  readonly patch: JsonObject;
  readonly result: JsonObject;
}[] = [
  {
    name: "sets keys, and deletes with null",
    target: { data: { a: "1", b: "2" }, kind: "ConfigMap" },
    patch: { data: { a: "x", b: null, c: "3" } },
    result: { data: { a: "x", c: "3" }, kind: "ConfigMap" },
  },
  {
    name: "changes nothing if it is empty",
    target: { data: { a: "1" } },
    patch: {},
    result: { data: { a: "1" } },
  },
  {
    name: "deletes all of a map with null",
    target: { data: { a: "1" }, kind: "ConfigMap" },
    patch: { data: null },
    result: { kind: "ConfigMap" },
  },
  {
    name: "replaces lists as a whole",
    target: { list: [{ name: "a" }, { name: "b" }] },
    patch: { list: [{ name: "c" }] },
    result: { list: [{ name: "c" }] },
  },
  {
    name: "creates the objects on the way without their nulls",
    target: {},
    patch: { a: { b: { c: null, d: 1 } } },
    result: { a: { b: { d: 1 } } },
  },
  {
    name: "takes nulls out of objects in a list that replaces a list, unlike RFC 7396",
    target: { list: [1] },
    patch: { list: [{ a: null, b: 1 }, null] },
    result: { list: [{ b: 1 }, null] },
  },
  {
    name: "leaves a list alone that replaces an object",
    target: { x: { y: 1 } },
    patch: { x: [{ a: null }] },
    result: { x: [{ a: null }] },
  },
  {
    name: "replaces a scalar with an object",
    target: { x: 1 },
    patch: { x: { y: null, z: 2 } },
    result: { x: { z: 2 } },
  },
];

describe("applyMergePatch", () => {
  for (const { name, target, patch, result } of cases) {
    it(name, () => {
      assert.deepEqual(applyMergePatch(target, patch), result);
    });
  }

  it("sorts the keys of objects that it reaches, as messages show them", () => {
    const target = { kind: "K", data: { b: "1", a: "2" }, metadata: { name: "n", labels: {} } };
    assert.equal(
      JSON.stringify(applyMergePatch(target, { data: { c: "3" } })),
      '{"data":{"a":"2","b":"1","c":"3"},"kind":"K","metadata":{"name":"n","labels":{}}}',
    );
  });

  it("treats __proto__ and constructor as keys like all others", () => {
    const patch = JSON.parse('{"data":{"__proto__":"x","constructor":"y"}}') as JsonObject;
    const { data } = applyMergePatch({ data: {} }, patch);
    assert(isJsonObject(data));
    assert.deepEqual(Object.keys(data), ["__proto__", "constructor"]);
    assert.equal(getOwn(data, "__proto__"), "x");
    assert.equal(Object.getPrototypeOf(data), Object.prototype);
    const removed = applyMergePatch(
      { data },
      JSON.parse('{"data":{"__proto__":null}}') as JsonObject,
    );
    assert.deepEqual(removed, { data: { constructor: "y" } });
  });

  for (const [body, message] of [
    [
      [1],
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    [
      "x",
      "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}",
    ],
    [null, "Invalid JSON Patch"],
  ] as const) {
    it(`refuses ${JSON.stringify(body)} with 400`, () => {
      assert.throws(
        () => applyMergePatch({}, body as JsonValue),
        (err: unknown) =>
          err instanceof StatusError &&
          err.code === 400 &&
          err.reason === "BadRequest" &&
          err.message === message,
      );
    });
  }

  it("makes any object out of any other with the patch that is their difference", () => {
    fc.assert(
      fc.property(objects(), objects(), (before, after) => {
        assert.deepEqual(plain(applyMergePatch(before, mergeDiff(before, after))), plain(after));
      }),
    );
  });

  it("changes neither the object nor the patch", () => {
    fc.assert(
      fc.property(objects(), objects({ nulls: true }), (target, patch) => {
        const before = JSON.stringify([target, patch]);
        applyMergePatch(target, patch);
        assert.equal(JSON.stringify([target, patch]), before);
      }),
    );
  });
});

/** The smallest patch that leads from one to the other. Neither has nulls. */
function mergeDiff(before: JsonObject, after: JsonObject): JsonObject {
  const entries: [string, JsonValue][] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const from = getOwn(before, key);
    const to = getOwn(after, key);
    if (isJsonObject(from) && isJsonObject(to)) {
      entries.push([key, mergeDiff(from, to)]);
    } else if (JSON.stringify(from) !== JSON.stringify(to)) {
      entries.push([key, to ?? null]);
    }
  }
  return Object.fromEntries(entries);
}

function objects({ nulls = false } = {}): fc.Arbitrary<JsonObject> {
  const keys = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
  const scalars = fc.oneof(
    fc.boolean(),
    fc.integer(),
    fc.string(),
    ...(nulls ? [fc.constant(null)] : []),
  );
  const { value } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalars,
      tie("object"),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
    object: fc
      .uniqueArray(fc.tuple(keys, tie("value")), { selector: ([key]) => key })
      .map((entries) => Object.fromEntries(entries)),
  }));
  return value.filter(isJsonObject);
}

/** Without the order of keys, and with `__proto__` visible to the comparison. */
function plain(value: JsonValue): unknown {
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  return isJsonObject(value)
    ? new Map(
        Object.keys(value)
          .sort()
          .map((key) => [key, plain(getOwn(value, key) ?? null)]),
      )
    : value;
}
