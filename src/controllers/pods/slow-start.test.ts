import assert from "node:assert/strict";
import { test } from "node:test";
import { slowStart } from "./slow-start.ts";

/** How many were begun in each round; those that fail are named by index. */
async function rounds(
  count: number,
  failing: readonly number[] = [],
): Promise<{ readonly sizes: number[]; readonly result: object }> {
  const sizes: number[] = [];
  let open = 0;
  const items = Array.from({ length: count }, (_, i) => i);
  const result = await slowStart(items, async (i) => {
    if (open++ === 0) sizes.push(0);
    sizes.push((sizes.pop() ?? 0) + 1);
    await Promise.resolve();
    open--;
    if (failing.includes(i)) throw new Error(`no ${i}`);
  });
  return { sizes, result };
}

test("slowStart doubles its batches while all goes well", async () => {
  const { sizes, result } = await rounds(12);
  assert.deepEqual(sizes, [1, 2, 4, 5]);
  assert.deepEqual(result, { successes: 12 });
});

test("slowStart asks once when the first is refused", async () => {
  const { sizes, result } = await rounds(500, [0]);
  assert.deepEqual(sizes, [1]);
  assert.deepEqual(result, { successes: 0, error: new Error("no 0") });
});

test("slowStart ends with the batch in which something failed, and waits for all of it", async () => {
  const { sizes, result } = await rounds(100, [4, 5]);
  assert.deepEqual(sizes, [1, 2, 4]);
  assert.deepEqual(result, { successes: 5, error: new Error("no 4") });
});

test("slowStart of nothing does nothing", async () => {
  assert.deepEqual(await rounds(0), { sizes: [], result: { successes: 0 } });
});
