import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemRandom } from "./random.ts";

describe("systemRandom", () => {
  it("gives fractions in [0, 1)", () => {
    for (let i = 0; i < 1000; i++) {
      const value = systemRandom.next();
      assert.ok(value >= 0 && value < 1, `${value}`);
    }
  });

  it("uses the whole range of 32 bits", () => {
    const values = Array.from({ length: 1000 }, () => systemRandom.uint32());

    assert.ok(values.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32));
    assert.ok(Math.max(...values) > 2 ** 31, "the upper half is reached");
    assert.ok(Math.min(...values) < 2 ** 31, "the lower half is reached");
  });
});
