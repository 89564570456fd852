import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { capget, isInBoundingSet } from "./rights-calls.ts";

const skip = process.platform === "linux" ? false : "there is no /proc";

function ofStatus(name: string): bigint {
  const status = readFileSync("/proc/self/status", "utf8");
  return BigInt(`0x${new RegExp(`^${name}:\\t(\\w+)$`, "m").exec(status)?.[1] ?? ""}`);
}

describe("capget", { skip }, () => {
  it("says what /proc says, with all that is above the thirty-second", () => {
    assert.deepEqual(capget(), {
      effective: ofStatus("CapEff"),
      permitted: ofStatus("CapPrm"),
      inheritable: ofStatus("CapInh"),
    });
  });
});

describe("isInBoundingSet", { skip }, () => {
  it("says what /proc says, and nothing about what the kernel does not know", () => {
    const set = ofStatus("CapBnd");
    for (let number = 0; number < 64; number++) {
      const isIn = isInBoundingSet(number);
      if (isIn !== undefined) assert.equal(isIn, (set & (1n << BigInt(number))) !== 0n);
    }
    assert.equal(typeof isInBoundingSet(0), "boolean");
    assert.equal(isInBoundingSet(63), undefined);
  });
});
