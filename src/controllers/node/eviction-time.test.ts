import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Taint, Toleration } from "../../api/types.ts";
import { evictionTime, exposureTo } from "./eviction-time.ts";

const WALL_MS = Date.UTC(2024, 0, 1);
const now = { wallMs: WALL_MS, monotonicMs: 1_000_000 };

function taint(key: string, ageSeconds?: number): Taint {
  const timeAdded = new Date(WALL_MS - 1000 * (ageSeconds ?? 0)).toISOString();
  return { key, effect: "NoExecute", ...(ageSeconds !== undefined && { timeAdded }) };
}

function tolerates(key: string, tolerationSeconds?: number): Toleration {
  const toleration = { key, operator: "Exists", effect: "NoExecute" };
  return tolerationSeconds === undefined ? toleration : { ...toleration, tolerationSeconds };
}

/** In seconds from now. */
function inSeconds(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  const atMs = evictionTime(taints, tolerations, (one) => exposureTo(one, now));
  return (atMs - now.monotonicMs) / 1000;
}

describe("evictionTime", () => {
  it("is never without taints, or when all are tolerated for ever", () => {
    assert.equal(inSeconds([], []), Number.POSITIVE_INFINITY);
    assert.equal(inSeconds([taint("a"), taint("b")], [tolerates("")]), Number.POSITIVE_INFINITY);
  });

  it("is at once when one is not tolerated, or not for any time", () => {
    const [first, second] = [taint("a"), taint("b")];
    assert.equal(inSeconds([first, second], [tolerates("a")]), Number.NEGATIVE_INFINITY);
    assert.equal(inSeconds([first], [tolerates("a", 0)]), Number.NEGATIVE_INFINITY);
    assert.equal(inSeconds([first], [tolerates("a", -5)]), Number.NEGATIVE_INFINITY);
  });

  it("is the first of several times, by the first toleration that fits each taint", () => {
    const tolerations = [tolerates("a", 300), tolerates("b", 100), tolerates("", 1)];
    assert.equal(inSeconds([taint("a"), taint("b")], tolerations), 100);
  });

  it("counts from when the taint was added", () => {
    assert.equal(inSeconds([taint("a", 200)], [tolerates("a", 300)]), 100);
  });

  it("gives what is overdue when it is first seen forty seconds, or its own time if that is shorter", () => {
    assert.equal(inSeconds([taint("a", 5000)], [tolerates("a", 300)]), 40);
    assert.equal(inSeconds([taint("a", 5000)], [tolerates("a", 7)]), 7);
  });

  it("takes a taint that was added in the future for one that was added now", () => {
    assert.equal(inSeconds([taint("a", -5000)], [tolerates("a", 300)]), 300);
  });
});
