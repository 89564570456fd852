import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Random } from "../../base/random.ts";
import { nextSyncMs, type SyncFailure } from "./next-sync.ts";

const nowMs = 1_000_000;
const plain: SyncFailure = { err: new Error("broken") };
const after = (ms: number): SyncFailure => ({ err: new Error("later"), retryAtMs: nowMs + ms });

const cases: readonly (readonly [name: string, SyncFailure[], fromMs: number, toMs: number])[] = [
  ["syncs again after the resync time when all is well", [], 20_000, 30_000],
  ["tries again after ten seconds when something failed", [plain], 10_000, 15_000],
  ["waits as long as a failure says", [after(5000)], 5000, 7500],
  ["waits as long as the first of several says", [after(9000), plain, after(3000)], 3000, 4500],
  ["does not wait for what is past", [after(-1000)], 0, 0],
  ["waits no longer than the resync time", [after(40_000)], 20_000, 30_000],
];

describe("nextSyncMs", () => {
  for (const [name, failures, fromMs, toMs] of cases) {
    it(name, () => {
      const at = (chance: number): number => {
        const random: Random = { next: () => chance, uint32: () => 0 };
        const options = { nowMs, random, resyncMs: 20_000 };
        return nextSyncMs({ isTransition: false, failures }, options);
      };
      assert.equal(at(0), fromMs);
      assert.ok(at(0.999_999) <= toMs && at(0.999_999) > toMs - 1 - toMs * 0.01);
    });
  }

  it("does not wait when the pod goes on to the next part of its life", () => {
    const random: Random = { next: () => 0.5, uint32: () => 0 };
    assert.equal(nextSyncMs({ isTransition: true, failures: [plain] }, { nowMs, random }), 0);
  });
});
