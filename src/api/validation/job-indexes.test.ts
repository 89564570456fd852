import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { countIndexes, firstCommonIndex } from "./job-indexes.ts";

const wrong: readonly (readonly [text: string, error: string])[] = [
  [
    "1-2-3",
    `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
  ],
  ["x", 'cannot convert string to integer for index: "x"'],
  ["10", 'too large index: "10"'],
  ["1-10", 'too large index: "10"'],
  ["3-3", "non-increasing order, previous: 3, current: 3"],
  ["1-3,2", "non-increasing order, previous: 3, current: 2"],
];

describe("countIndexes", () => {
  it("counts single indexes and intervals", () => {
    assert.deepEqual(countIndexes("0,2-4,9", 10), { total: 5 });
    assert.deepEqual(countIndexes("", 10), { total: 0 });
  });

  for (const [text, error] of wrong) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.deepEqual(countIndexes(text, 10), { total: 0, error });
    });
  }
});

describe("firstCommonIndex", () => {
  it("finds what any two sets of indexes have in common", () => {
    const indexes = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1 });
    fc.assert(
      fc.property(indexes, indexes, (a, b) => {
        const [x, y] = [a, b].map((list) => list.toSorted((p, q) => p - q));
        assert(x !== undefined && y !== undefined);
        const common = x.find((index) => y.includes(index));
        assert.equal(firstCommonIndex(x.join(), y.join(), 31), common);
      }),
    );
  });
});
