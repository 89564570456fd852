import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { StatusError } from "../status-error.ts";
import { applyJsonPatch, unknownOperationFields } from "./json-patch.ts";
import { getOwn } from "./own-property.ts";

const target: JsonObject = { data: { a: "1", n: "2" }, list: ["x", "y"], kind: "ConfigMap" };

const results: readonly {
  readonly name: string;
  readonly patch: JsonValue;
  readonly data?: JsonValue;
  readonly list?: JsonValue;
}[] = [
  {
    name: "adds, replaces and removes keys",
    patch: [
      { op: "add", path: "/data/b", value: "new" },
      { op: "replace", path: "/data/a", value: "r" },
      { op: "remove", path: "/data/n" },
    ],
    data: { a: "r", b: "new" },
  },
  {
    name: "tests, copies and moves",
    patch: [
      { op: "test", path: "/data/a", value: "1" },
      { op: "copy", from: "/data/a", path: "/data/copy" },
      { op: "move", from: "/data/n", path: "/data/moved" },
    ],
    data: { a: "1", copy: "1", moved: "2" },
  },
  {
    name: "reads ~1 as / and ~0 as ~",
    patch: [
      { op: "add", path: "/data", value: { "x/y": "1", "t~u": "2" } },
      { op: "replace", path: "/data/x~1y", value: "3" },
      { op: "remove", path: "/data/t~0u" },
    ],
    data: { "x/y": "3" },
  },
  { name: "does nothing if it is empty", patch: [], data: { a: "1", n: "2" } },
  {
    name: "replaces a missing key by adding it",
    patch: [{ op: "replace", path: "/data/zzz", value: "1" }],
    data: { a: "1", n: "2", zzz: "1" },
  },
  {
    name: "finds a missing key equal to null",
    patch: [{ op: "test", path: "/data/zzz", value: null }],
    data: { a: "1", n: "2" },
  },
  {
    name: "copies a missing key as null",
    patch: [{ op: "copy", from: "/data/zzz", path: "/data/y" }],
    data: { a: "1", n: "2", y: null },
  },
  {
    name: "adds null if there is no value",
    patch: [{ op: "add", path: "/data/y" }],
    data: { a: "1", n: "2", y: null },
  },
  {
    name: "adds null if the value is null",
    patch: [{ op: "add", path: "/data/y", value: null }],
    data: { a: "1", n: "2", y: null },
  },
  {
    name: "appends with -",
    patch: [{ op: "add", path: "/list/-", value: "z" }],
    list: ["x", "y", "z"],
  },
  {
    name: "inserts at an index",
    patch: [{ op: "add", path: "/list/0", value: "z" }],
    list: ["z", "x", "y"],
  },
  {
    name: "counts negative indexes from the end",
    patch: [
      { op: "remove", path: "/list/-1" },
      { op: "add", path: "/list/-1", value: "last" },
      { op: "replace", path: "/list/-2", value: "first" },
    ],
    list: ["first", "last"],
  },
];

const refused: readonly { readonly name: string; readonly step: JsonObject }[] = [
  { name: "the removal of a missing key", step: { op: "remove", path: "/data/zzz" } },
  { name: "a value under a missing parent", step: { op: "add", path: "/binaryData/k", value: "" } },
  {
    name: "a replacement under a missing parent",
    step: { op: "replace", path: "/binaryData/k", value: "" },
  },
  { name: "a test of another value", step: { op: "test", path: "/data/a", value: "nope" } },
  { name: "a test of a missing key", step: { op: "test", path: "/data/zzz", value: "1" } },
  { name: "a move of a missing key", step: { op: "move", from: "/data/zzz", path: "/data/y" } },
  { name: "an unknown operation", step: { op: "frob", path: "/data/a" } },
  { name: "a step without operation", step: { path: "/data/a" } },
  { name: "a step without path", step: { op: "add", value: "1" } },
  { name: "adding beyond the end", step: { op: "add", path: "/list/9", value: "z" } },
  { name: "replacing beyond the end", step: { op: "replace", path: "/list/9", value: "z" } },
  { name: "removing beyond the end", step: { op: "remove", path: "/list/9" } },
  { name: "an index before the start", step: { op: "remove", path: "/list/-3" } },
  { name: "removing -", step: { op: "remove", path: "/list/-" } },
  { name: "an index that is no number", step: { op: "add", path: "/list/x", value: "z" } },
  { name: "a path through a scalar", step: { op: "add", path: "/kind/x", value: "z" } },
  { name: "a scalar in place of the document", step: { op: "replace", path: "", value: 1 } },
];

describe("applyJsonPatch", () => {
  for (const { name, patch, data, list } of results) {
    it(name, () => {
      const patched = applyJsonPatch(target, patch);
      assert(isJsonObject(patched));
      assert.deepEqual(patched["data"], data ?? target["data"]);
      assert.deepEqual(patched["list"], list ?? target["list"]);
    });
  }

  it("replaces the whole document if the path is empty", () => {
    assert.deepEqual(applyJsonPatch(target, [{ op: "replace", path: "", value: {} }]), {});
  });

  it("ignores what stands before the first slash of a path", () => {
    const patched = applyJsonPatch({ data: {} }, [{ op: "add", path: "data/y", value: "1" }]);
    assert.deepEqual(patched, { data: {}, y: "1" });
  });

  for (const { name, step } of refused) {
    it(`refuses ${name} with 422 and says nothing about it`, () => {
      assert.throws(
        () => applyJsonPatch(target, [step]),
        (err: unknown) => {
          assert(err instanceof StatusError);
          assert.deepEqual(err.toStatus(), {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Failure",
            message: "the server rejected our request due to an error in our request",
            reason: "Invalid",
            details: {},
            code: 422,
          });
          return true;
        },
      );
    });
  }

  for (const [patch, message] of [
    [
      { op: "add" },
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    ],
    [
      [1],
      "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
    ],
    [
      [{ op: 1 }],
      "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
    ],
  ] as const) {
    it(`refuses the body ${JSON.stringify(patch)} with 400`, () => {
      assert.throws(() => applyJsonPatch(target, patch as unknown as JsonValue), {
        code: 400,
        reason: "BadRequest",
        message,
      });
    });
  }

  it("takes 10,000 operations and not one more", () => {
    const step = { op: "test", path: "/data/a", value: "1" };
    assert.deepEqual(applyJsonPatch(target, Array<JsonObject>(10_000).fill(step)), target);
    assert.throws(() => applyJsonPatch(target, Array<JsonObject>(10_001).fill(step)), {
      code: 413,
      reason: "RequestEntityTooLarge",
      details: undefined,
      message:
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  it("stops copies that double a document again and again", () => {
    const doubling = Array.from({ length: 30 }, (_, i) => ({
      op: "copy",
      from: "/data",
      path: `/data/x${i}`,
    }));
    assert.throws(() => applyJsonPatch({ data: { a: "x".repeat(1000) } }, doubling), {
      code: 422,
      reason: "Invalid",
    });
  });

  it("treats __proto__ as a key like all others", () => {
    const patched = applyJsonPatch({ data: {} }, [
      { op: "add", path: "/data/__proto__", value: { polluted: true } },
      { op: "add", path: "/data/__proto__/more", value: 1 },
    ]);
    assert(isJsonObject(patched) && isJsonObject(patched["data"]));
    assert.deepEqual(getOwn(patched["data"], "__proto__"), { polluted: true, more: 1 });
    assert.equal(Object.getPrototypeOf(patched["data"]), Object.prototype);
    assert.throws(() => applyJsonPatch({ data: {} }, [{ op: "add", path: "/data/constructor/x" }]));
  });

  it("names fields of operations that mean nothing", () => {
    const patch = [
      { op: "add", path: "/a" },
      { op: "remove", path: "/a", foo: 1, frm: "" },
    ];
    assert.deepEqual(unknownOperationFields(patch), ["[1].foo", "[1].frm"]);
  });

  it("changes neither the object nor the patch, whatever it does", () => {
    const path = fc
      .array(fc.constantFrom("", "a", "b", "list", "0", "-1", "-", "__proto__"), { maxLength: 4 })
      .map((parts) => parts.map((part) => `/${part}`).join(""));
    const value = fc.constantFrom<JsonValue>("s", 1, null, {}, [], { a: { list: [1] } }, [[], {}]);
    const step = fc.record(
      {
        op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
        path,
        from: path,
        value,
      },
      { requiredKeys: ["op", "path"] },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const object = { a: { b: [1, { a: 2 }], list: ["x", "y"] }, list: [["p"], { b: {} }] };
        const before = JSON.stringify([object, steps]);
        try {
          applyJsonPatch(object, steps);
        } catch (err) {
          assert(err instanceof StatusError);
        }
        assert.equal(JSON.stringify([object, steps]), before);
      }),
    );
  });

  it("refuses moves that nest deeper than a body can", () => {
    const round = [
      { op: "add", path: "/t", value: {} },
      { op: "move", from: "/data", path: "/t/a" },
      { op: "move", from: "/t", path: "/data" },
    ];
    const rounds = (count: number): JsonValue => Array.from({ length: count }, () => round).flat();
    assert.throws(() => applyJsonPatch(target, rounds(3000)), StatusError);
    assert.equal(JSON.stringify(applyJsonPatch(target, rounds(100))).split("{").length, 103);
  });
});
