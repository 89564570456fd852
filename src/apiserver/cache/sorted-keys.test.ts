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
});
