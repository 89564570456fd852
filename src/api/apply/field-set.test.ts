import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  difference,
  type FieldSet,
  hasPath,
  intersection,
  isEmptySet,
  pathsOf,
  setOfPaths,
  union,
} from "./field-set.ts";
import { decodeFieldsV1 } from "./managed-fields.ts";
import { elementText } from "./path-element.ts";
import { anyPath, anySet } from "./testing/arbitrary-sets.ts";

/** The members, as texts that can be compared. */
function members(set: FieldSet): Set<string> {
  return new Set([...pathsOf(set)].map((path) => path.join(" ")));
}

describe("FieldSet", () => {
  it("holds the paths that were put into it, and no others", () => {
    fc.assert(
      fc.property(fc.array(anyPath), anyPath, (paths, other) => {
        const set = setOfPaths(paths);
        assert.deepEqual(members(set), new Set(paths.map((path) => path.join(" "))));
        assert.equal(hasPath(set, other), members(set).has(other.join(" ")));
      }),
    );
  });

  for (const [name, operation, expected] of [
    ["union", union, (a: Set<string>, b: Set<string>) => [...a, ...b]],
    ["difference", difference, (a: Set<string>, b: Set<string>) => [...a].filter((x) => !b.has(x))],
    [
      "intersection",
      intersection,
      (a: Set<string>, b: Set<string>) => [...a].filter((x) => b.has(x)),
    ],
  ] as const) {
    it(`has the ${name} that sets of paths have`, () => {
      fc.assert(
        fc.property(anySet, anySet, (a, b) => {
          assert.deepEqual(members(operation(a, b)), new Set(expected(members(a), members(b))));
        }),
      );
    });

    it(`leaves the arguments of ${name} alone`, () => {
      fc.assert(
        fc.property(anySet, anySet, (a, b) => {
          const before = JSON.stringify([a, b]);
          operation(a, b);
          assert.equal(JSON.stringify([a, b]), before);
        }),
      );
    });
  }

  it("gives back the very set if a union adds or a difference takes nothing", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        assert.equal(union(a, intersection(a, b)), a);
        assert.equal(difference(a, difference(b, a)), a);
      }),
    );
  });

  it("puts together again what was taken apart", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        assert.deepEqual(union(difference(a, b), intersection(a, b)), a);
        assert(isEmptySet(difference(a, union(b, a))));
        assert(isEmptySet(intersection(difference(a, b), b)));
      }),
    );
  });

  it("is written in one way, whatever made it", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        assert.equal(JSON.stringify(union(a, b)), JSON.stringify(union(b, a)));
        assert.equal(
          JSON.stringify(difference(union(a, b), b)),
          JSON.stringify(setOfPaths(pathsOf(difference(a, b)))),
        );
      }),
    );
  });

  it("is the same after it was sent and read", () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const text = JSON.stringify(set);
        assert.equal(JSON.stringify(decodeFieldsV1(JSON.parse(text) as FieldSet)), text);
      }),
    );
  });

  it("lists fields before keys, values and indexes, and numbers by size", () => {
    const steps = [
      "i:10",
      "i:2",
      'v:"s"',
      'k:{"port":443}',
      'k:{"port":80}',
      'k:{"name":"x"}',
      "f:b",
    ];
    const set = setOfPaths([["f:a"], ...steps.map((step) => ["f:a", step])]);
    assert.equal(
      JSON.stringify(set),
      JSON.stringify({
        "f:a": {
          ".": {},
          "f:b": {},
          'k:{"name":"x"}': {},
          'k:{"port":80}': {},
          'k:{"port":443}': {},
          'v:"s"': {},
          "i:2": {},
          "i:10": {},
        },
      }),
    );
  });

  it("keeps the children of a member that is taken away, and a member whose children are", () => {
    const set = setOfPaths([["f:a"], ["f:a", "f:b"]]);
    assert.deepEqual(difference(set, { "f:a": {} }), { "f:a": { "f:b": {} } });
    assert.deepEqual(difference(set, { "f:a": { "f:b": {} } }), { "f:a": {} });
  });
});

describe("elementText", () => {
  for (const [element, text] of [
    ["f:data", ".data"],
    ["f:kubernetes.io/name", ".kubernetes.io/name"],
    ['k:{"containerPort":80,"protocol":"TCP"}', '[containerPort=80,protocol="TCP"]'],
    ['v:"x.y/z"', '[="x.y/z"]'],
    ["i:3", "[3]"],
  ] as const) {
    it(`writes ${element} as ${text}`, () => {
      assert.equal(elementText(element), text);
    });
  }
});
