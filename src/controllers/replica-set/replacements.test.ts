import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { replacements } from "./replacements.ts";

const nowMs = Date.parse("2024-01-01T12:00:00Z");

/** Pods that ended, made so many seconds ago. */
function ended(...ages: readonly number[]): readonly Pod[] {
  return ages.map((age) => {
    const creationTimestamp = `${new Date(nowMs - age * 1000).toISOString().slice(0, 19)}Z`;
    return { metadata: { creationTimestamp } } as unknown as Pod;
  });
}

const many = (count: number, age: number): readonly Pod[] =>
  ended(...Array.from({ length: count }, () => age));

describe("The pods that may be made", () => {
  it("are many for a set whose pods do not fail", () => {
    assert.deepEqual(replacements(3, { ended: [], nowMs }), { allowed: 20, moreInMs: undefined });
    assert.equal(replacements(500, { ended: [], nowMs }).allowed, 1000);
  });

  it("become fewer with each that failed within a minute of its making", () => {
    const of = { ended: ended(1, 2, 30), nowMs };
    assert.deepEqual(replacements(3, of), { allowed: 17, moreInMs: 30_000 });
  });

  it("are none after too many failures, until the first is a minute ago", () => {
    const of = { ended: [...many(25, 5), ...ended(40)], nowMs };
    assert.deepEqual(replacements(3, of), { allowed: 0, moreInMs: 20_000 });
  });

  it("are not fewer for failures of long ago, or of a clock that was set back since", () => {
    for (const age of [60, 3600, -3600]) {
      assert.equal(replacements(3, { ended: many(50, age), nowMs }).allowed, 20);
    }
  });
});
