import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { sizeOf, totalSize } from "./replica-sets.ts";
import { nextCurrentSize, nextOldSizes } from "./rolling-update.ts";
import { maxSurge, minAvailable } from "./rollout-limits.ts";
import { deploymentOf, replicaSetOf } from "./testing/rollout-objects.ts";

interface UpRow {
  readonly what: string;
  readonly replicas: number;
  readonly maxSurge: number;
  readonly old: number;
  readonly current: number;
  readonly next: number;
}

const up: readonly UpRow[] = [
  { what: "stays without room above", replicas: 10, maxSurge: 0, old: 10, current: 0, next: 0 },
  { what: "grows by the surge", replicas: 10, maxSurge: 2, old: 10, current: 0, next: 2 },
  { what: "fills what the old leave", replicas: 10, maxSurge: 2, old: 5, current: 0, next: 7 },
  { what: "stays when surge is used up", replicas: 10, maxSurge: 2, old: 10, current: 2, next: 2 },
  { what: "shrinks to what is wanted", replicas: 10, maxSurge: 2, old: 2, current: 11, next: 10 },
  { what: "never exceeds what is wanted", replicas: 6, maxSurge: 10, old: 0, current: 2, next: 6 },
  { what: "stays when there are too many", replicas: 5, maxSurge: 1, old: 9, current: 2, next: 2 },
];

describe("The current ReplicaSet", () => {
  for (const { what, replicas, maxSurge: surge, old, current, next } of up) {
    test(what, () => {
      const deployment = deploymentOf({ replicas, maxSurge: surge });
      const sets = {
        current: replicaSetOf("new", { replicas: current }),
        old: [replicaSetOf("old", { replicas: old })],
      };
      assert.equal(nextCurrentSize(deployment, sets), next);
    });
  }

  test("has everything at once in a Recreate", () => {
    const deployment = deploymentOf({ replicas: 3, type: "Recreate" });
    assert.equal(nextCurrentSize(deployment, { current: undefined, old: [] }), 3);
  });
});

interface DownRow {
  readonly what: string;
  readonly replicas: number;
  readonly maxUnavailable: number;
  /** Size and available pods, oldest first. */
  readonly old: readonly (readonly [size: number, available: number])[];
  readonly current: readonly [size: number, available: number];
  readonly next: readonly number[];
}

const down: readonly DownRow[] = [
  {
    what: "give up one pod when rounding leaves no room",
    ...{ replicas: 10, maxUnavailable: 0, old: [[10, 10]], current: [0, 0], next: [9] },
  },
  {
    what: "give up what may be missing",
    ...{ replicas: 10, maxUnavailable: 2, old: [[10, 10]], current: [0, 0], next: [8] },
  },
  {
    what: "give up the broken pods first",
    ...{ replicas: 10, maxUnavailable: 2, old: [[10, 8]], current: [0, 0], next: [8] },
  },
  {
    what: "give up a broken and a working pod",
    ...{ replicas: 10, maxUnavailable: 2, old: [[10, 9]], current: [0, 0], next: [8] },
  },
  {
    what: "stay while new pods are not available",
    ...{ replicas: 10, maxUnavailable: 2, old: [[8, 8]], current: [2, 0], next: [8] },
  },
  {
    what: "stay when too few are available anyway",
    ...{ replicas: 10, maxUnavailable: 2, old: [[8, 8]], current: [5, 0], next: [8] },
  },
  {
    what: "make room for a rollback by giving up what never worked",
    ...{ replicas: 10, maxUnavailable: 2, old: [[5, 0]], current: [8, 7], next: [1] },
  },
  {
    what: "make room for a third version by giving up what never worked",
    ...{
      replicas: 10,
      maxUnavailable: 2,
      old: [
        [8, 8],
        [5, 0],
      ],
      current: [0, 0],
      next: [8, 0],
    },
  },
  {
    what: "give up the oldest version first",
    ...{
      replicas: 10,
      maxUnavailable: 2,
      old: [
        [3, 3],
        [5, 5],
      ],
      current: [4, 4],
      next: [0, 4],
    },
  },
  {
    what: "count no pods that are about to be deleted",
    ...{ replicas: 10, maxUnavailable: 2, old: [[8, 10]], current: [5, 3], next: [5] },
  },
  {
    what: "count no pods of the current set that are about to be deleted",
    ...{ replicas: 5, maxUnavailable: 1, old: [[3, 3]], current: [3, 6], next: [1] },
  },
];

describe("The old ReplicaSets", () => {
  for (const { what, replicas, maxUnavailable, old, current, next } of down) {
    test(what, () => {
      const deployment = deploymentOf({ replicas, maxUnavailable });
      const oldSets = old.map(([size, available], age) =>
        replicaSetOf(`old-${age}`, { replicas: size, available, age }),
      );
      const [size, available] = current;
      const currentSet = replicaSetOf("new", { replicas: size, available, age: 9 });
      const scalings = nextOldSizes(deployment, currentSet, oldSets);
      const sizes = oldSets.map(
        (set) => scalings.find(({ replicaSet }) => replicaSet === set)?.replicas ?? sizeOf(set),
      );
      assert.deepEqual(sizes, next);
    });
  }

  test("stay until every ReplicaSet has told of its present size", () => {
    const deployment = deploymentOf({ replicas: 3, maxSurge: 1 });
    const old = replicaSetOf("old", { replicas: 2 });
    const current = replicaSetOf("new", { replicas: 2 });
    assert.equal(nextOldSizes(deployment, current, [old]).length, 1);
    const resized = { ...current, metadata: { ...current.metadata, generation: 2 } };
    assert.deepEqual(nextOldSizes(deployment, resized, [old]), []);
  });

  test("never leave fewer available pods than promised, nor make more pods than allowed", () => {
    const counts = fc.tuple(fc.nat(20), fc.nat(20));
    fc.assert(
      fc.property(
        fc.record({ replicas: fc.nat(20), maxSurge: fc.nat(5), maxUnavailable: fc.nat(5) }),
        fc.array(counts, { maxLength: 4 }),
        counts,
        (facts, old, [size, available]) => {
          const deployment = deploymentOf(facts);
          const current = replicaSetOf("new", { replicas: size, available });
          const oldSets = old.map(([replicas, ready], age) =>
            replicaSetOf(`old-${age}`, { replicas, available: ready, age }),
          );
          const before = [...oldSets, current];
          const grown = nextCurrentSize(deployment, { current, old: oldSets });
          const limit = facts.replicas + maxSurge(deployment);
          assert.ok(
            grown <= Math.max(size, limit - totalSize(oldSets), 0) || grown <= facts.replicas,
          );
          assert.ok(grown <= size || grown + totalSize(oldSets) <= limit);
          const scalings = nextOldSizes(deployment, current, oldSets);
          if (scalings.length === 0) return;
          const sizes = new Map(scalings.map(({ replicaSet, replicas }) => [replicaSet, replicas]));
          // Pods that are not available are deleted first, and of a set that shrinks already those that are too many.
          const left = before.map((set) => {
            const working = Math.min(set.status.availableReplicas ?? 0, sizeOf(set));
            return Math.min(working, sizes.get(set) ?? sizeOf(set));
          });
          const working = before.map((set) =>
            Math.min(set.status.availableReplicas ?? 0, sizeOf(set)),
          );
          const total = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
          const floor = Math.min(minAvailable(deployment), total(working));
          assert.ok(total(left) >= floor, `${total(left)} of ${floor}`);
        },
      ),
    );
  });
});
