import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compareKeys } from "../key-order.ts";
import { countBefore, find, insert, type KeyTree, remove, sizeOf, slice } from "./key-tree.ts";

const key = fc.string({ unit: "binary", maxLength: 2 });
const script = fc.array(fc.tuple(fc.boolean(), key), { maxLength: 200, size: "max" });

function depthOf(tree: KeyTree<unknown>): number {
  return tree === undefined ? 0 : 1 + Math.max(depthOf(tree.left), depthOf(tree.right));
}

describe("KeyTree", () => {
  it("is the same as a sorted map, after any writes", () => {
    fc.assert(
      fc.property(script, key, (writes, probe) => {
        const model = new Map<string, number>();
        let tree: KeyTree<number>;
        for (const [i, [isRemoval, name]] of writes.entries()) {
          tree = isRemoval ? remove(tree, name) : insert(tree, name, i);
          if (isRemoval) model.delete(name);
          else model.set(name, i);
        }
        const sorted = [...model].sort(([a], [b]) => compareKeys(a, b));
        const before = sorted.filter(([name]) => compareKeys(name, probe) < 0).length;
        assert.equal(sizeOf(tree), model.size);
        assert.equal(find(tree, probe), model.get(probe));
        assert.equal(countBefore(tree, probe), before);
        for (const [from, to] of [
          [0, model.size],
          [0, before],
          [before, before + 3],
          [model.size, model.size],
        ] as const) {
          const expected = sorted.slice(from, to).map(([, value]) => value);
          assert.deepEqual(slice(tree, from, to), expected);
        }
      }),
    );
  });

  it("leaves every tree that was before as it was", () => {
    fc.assert(
      fc.property(script, (writes) => {
        let tree: KeyTree<string>;
        const past: [KeyTree<string>, string][] = [];
        for (const [isRemoval, name] of writes) {
          tree = isRemoval ? remove(tree, name) : insert(tree, name, name);
          past.push([tree, slice(tree, 0, sizeOf(tree)).join()]);
        }
        for (const [then, values] of past) {
          assert.equal(slice(then, 0, sizeOf(then)).join(), values);
        }
      }),
      { numRuns: 20 },
    );
  });

  for (const [order, keyOf] of Object.entries({
    ascending: (i: number) => i,
    descending: (i: number) => -i,
    mixed: (i: number) => (i * 7919) % 10_000,
  })) {
    it(`stays shallow when keys come in ${order} order, and when most of them go`, () => {
      let tree: KeyTree<number>;
      const nameOf = (i: number): string => String(keyOf(i) + 20_000);
      for (let i = 0; i < 10_000; i++) tree = insert(tree, nameOf(i), i);
      // A tree of this kind has at most log(size) / log(4/3) levels: 32 here.
      assert.ok(depthOf(tree) <= 32, `${depthOf(tree)} levels`);
      for (let i = 0; i < 9900; i++) tree = remove(tree, nameOf(i));
      assert.equal(sizeOf(tree), 100);
      assert.ok(depthOf(tree) <= 16, `${depthOf(tree)} levels`);
    });
  }
});
