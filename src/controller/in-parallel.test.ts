import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { inParallel } from "./in-parallel.ts";

describe("inParallel", () => {
  it("does all of it, never more than so many at once", async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    await inParallel([1, 2, 3, 4, 5], 2, async (n) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      done.push(n);
    });
    equal(most, 2);
    deepEqual(done, [1, 2, 3, 4, 5]);
  });

  it("comes back with what failed, and does the rest", async () => {
    const done: number[] = [];
    const failures = await inParallel([1, 2, 3], 2, async (n) => {
      await Promise.resolve();
      if (n === 2) throw new Error("two");
      done.push(n);
    });
    deepEqual(failures, [new Error("two")]);
    deepEqual(done, [1, 3]);
  });
});
