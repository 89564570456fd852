import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "./seeded-random.ts";

describe("seededRandom", () => {
  it("repeats itself for the same seed", () => {
    const [a, b] = [seededRandom(42), seededRandom(42)];

    for (let i = 0; i < 100; i++) {
      assert.equal(a.uint32(), b.uint32());
    }
  });

  it("starts differently for neighbouring seeds", () => {
    const firsts = Array.from({ length: 1000 }, (_, seed) => seededRandom(seed).uint32());

    assert.equal(new Set(firsts).size, 1000);
  });

  it("spreads evenly over [0, 1)", () => {
    const random = seededRandom(7);
    const buckets = new Array<number>(10).fill(0);

    for (let i = 0; i < 100_000; i++) {
      const bucket = Math.floor(random.next() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }

    assert.equal(buckets.length, 10);
    assert.ok(
      buckets.every((count) => Math.abs(count - 10_000) < 500),
      buckets.join(" "),
    );
  });
});
