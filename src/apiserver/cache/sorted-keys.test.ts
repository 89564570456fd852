import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SortedKeys } from "./sorted-keys.ts";

describe("SortedKeys", () => {
  it("lists what begins with a prefix, after a key, in order", () => {
    const keys = new SortedKeys();
    for (const key of ["b/2", "a/9", "b/1", "c/1", "b/10"]) keys.insert(key);
    deepEqual([...keys.from("b/")], ["b/1", "b/10", "b/2"]);
    deepEqual([...keys.from("b/", "b/1")], ["b/10", "b/2"]);
    deepEqual([...keys.from("b/", "b/11")], ["b/2"]);
    deepEqual([...keys.from("")], ["a/9", "b/1", "b/10", "b/2", "c/1"]);
    deepEqual([...keys.from("d/")], []);
  });

  it("is a sorted set, whatever comes and goes", () => {
    const words = fc.array(fc.tuple(fc.boolean(), fc.stringMatching(/^[a-c/]{0,3}$/)));
    fc.assert(
      fc.property(words, (steps) => {
        const keys = new SortedKeys();
        const model = new Set<string>();
        for (const [isInsert, key] of steps) {
          if (isInsert && !model.has(key)) keys.insert(key);
          if (isInsert) model.add(key);
          else {
            keys.remove(key);
            model.delete(key);
          }
        }
        deepEqual([...keys.from("")], [...model].sort());
        equal(keys.size, model.size);
      }),
    );
  });

  it("is one with thousands of keys too, in whatever order they come and go", () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 9999 }), { minLength: 3000 });
    fc.assert(
      fc.property(numbers, fc.boolean(), (all, isOrdered) => {
        const model = new Set(
          (isOrdered ? all.toSorted((a, b) => a - b) : all).map((n) => `${n % 7}/${n}`),
        );
        const keys = new SortedKeys();
        for (const key of model) keys.insert(key);
        for (const key of [...model].slice(0, 2000)) {
          keys.remove(key);
          model.delete(key);
        }
        const sorted = [...model].sort();
        deepEqual([...keys.from("")], sorted);
        for (const after of ["", "3/", "3/5", ...sorted.slice(0, 3), sorted.at(-1) ?? ""]) {
          const expected = sorted.filter((key) => key.startsWith("3/") && key > after);
          deepEqual([...keys.from("3/", after)], expected);
        }
        equal(keys.size, model.size);
      }),
      { numRuns: 20 },
    );
  });

  it("is empty when it was cleared", () => {
    const keys = new SortedKeys();
    keys.insert("a");
    keys.clear();
    deepEqual([...keys.from("")], []);
    equal(keys.size, 0);
  });
});
