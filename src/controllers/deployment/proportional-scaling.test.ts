import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { ReplicaSetObject } from "./deployment-objects.ts";
import { isScaled, scaledSizes } from "./proportional-scaling.ts";
import { sizeOf } from "./replica-sets.ts";
import { sizeAnnotations } from "./revisions.ts";
import { maxSurge } from "./rollout-limits.ts";
import { type DeploymentFacts, deploymentOf, replicaSetOf } from "./testing/rollout-objects.ts";

interface Row {
  readonly what: string;
  readonly from: DeploymentFacts;
  readonly to: DeploymentFacts;
  /** Oldest first; the last is current unless there is none. */
  readonly sizes: readonly number[];
  readonly hasCurrent?: boolean;
  readonly next: readonly number[];
}

const rows: readonly Row[] = [
  {
    what: "one up: 10 to 12",
    from: { replicas: 10 },
    to: { replicas: 12 },
    sizes: [10],
    next: [12],
  },
  {
    what: "one down: 10 to 5",
    from: { replicas: 10 },
    to: { replicas: 5 },
    sizes: [10],
    next: [5],
  },
  {
    what: "two up: 5 to 10",
    from: { replicas: 5 },
    to: { replicas: 10 },
    sizes: [3, 2],
    next: [6, 4],
  },
  {
    what: "two down: 5 to 3",
    from: { replicas: 5 },
    to: { replicas: 3 },
    sizes: [3, 2],
    next: [2, 1],
  },
  {
    what: "the small one goes: 9 to 4",
    from: { replicas: 9 },
    to: { replicas: 4 },
    sizes: [1, 8],
    next: [0, 4],
  },
  {
    what: "three up: 7 to 10",
    from: { replicas: 7 },
    to: { replicas: 10 },
    sizes: [2, 3, 2],
    next: [3, 4, 3],
  },
  {
    what: "three down: 13 to 8",
    from: { replicas: 13 },
    to: { replicas: 8 },
    sizes: [3, 8, 2],
    next: [2, 5, 1],
  },
  {
    what: "what is left over goes to the newest of equals: 3 to 4",
    from: { replicas: 3 },
    to: { replicas: 4 },
    sizes: [1, 1, 1],
    next: [1, 1, 2],
  },
  {
    what: "what is too much goes from the oldest of equals: 3 to 2",
    from: { replicas: 3 },
    to: { replicas: 2 },
    sizes: [1, 1, 1],
    next: [0, 1, 1],
  },
  {
    what: "the newest of the old grows when there is no current: 4 to 5",
    from: { replicas: 4 },
    to: { replicas: 5 },
    sizes: [2, 2],
    hasCurrent: false,
    next: [2, 3],
  },
  {
    what: "everything goes: 6 to 0",
    from: { replicas: 6 },
    to: { replicas: 0 },
    sizes: [1, 2, 3],
    next: [0, 0, 0],
  },
  {
    what: "only the current one comes back: 0 to 6",
    from: { replicas: 6 },
    to: { replicas: 6 },
    sizes: [0, 0, 0],
    next: [0, 0, 6],
  },
  {
    what: "surge grows along",
    from: { replicas: 10, maxSurge: 2 },
    to: { replicas: 20, maxSurge: 2 },
    sizes: [6, 6],
    next: [11, 11],
  },
  {
    what: "size and surge change at once",
    from: { replicas: 10, maxSurge: 3 },
    to: { replicas: 50, maxSurge: 6 },
    sizes: [8, 5],
    next: [34, 22],
  },
  {
    what: "size and template change at once",
    from: { replicas: 10 },
    to: { replicas: 14 },
    sizes: [3, 7],
    hasCurrent: false,
    next: [4, 10],
  },
];

function setsOf(row: Pick<Row, "from" | "sizes" | "hasCurrent">): readonly ReplicaSetObject[] {
  const annotations = sizeAnnotations(deploymentOf(row.from));
  return row.sizes.map((replicas, age) => replicaSetOf(`v${age}`, { replicas, age, annotations }));
}

function sizesAfter(row: Omit<Row, "next" | "what">): readonly number[] {
  const all = setsOf(row);
  const current = row.hasCurrent === false ? undefined : all.at(-1);
  const old = all.filter((set) => set !== current);
  const scalings = scaledSizes(deploymentOf(row.to), { current, old });
  return all.map(
    (set) => scalings.find(({ replicaSet }) => replicaSet === set)?.replicas ?? sizeOf(set),
  );
}

describe("Scaling a Deployment with several ReplicaSets", () => {
  for (const row of rows) {
    test(row.what, () => {
      assert.deepEqual(sizesAfter(row), row.next);
    });
  }

  test("stays with what an earlier, half done scaling has done", () => {
    const done = sizeAnnotations(deploymentOf({ replicas: 5 }));
    const notDone = sizeAnnotations(deploymentOf({ replicas: 3 }));
    const current = replicaSetOf("v3", { replicas: 2, age: 3, annotations: done });
    const failed = replicaSetOf("v2", { replicas: 1, age: 2, annotations: notDone });
    const oldest = replicaSetOf("v1", { replicas: 1, age: 1, annotations: done });
    const scalings = scaledSizes(deploymentOf({ replicas: 5 }), { current, old: [oldest, failed] });
    const sizes = scalings.map(({ replicaSet, replicas }) => [replicaSet.metadata.name, replicas]);
    assert.deepEqual(sizes, [
      ["v3", 2],
      ["v2", 2],
      ["v1", 1],
    ]);
  });

  test("takes all pods from the old when the current one has all and all work", () => {
    const deployment = deploymentOf({ replicas: 2, maxSurge: 1, maxUnavailable: 1 });
    const annotations = sizeAnnotations(deployment);
    const current = replicaSetOf("new", { replicas: 2, age: 1, annotations });
    const adopted = replicaSetOf("old", { replicas: 1, annotations });
    const scalings = scaledSizes(deployment, { current, old: [adopted] });
    assert.deepEqual(scalings, [{ replicaSet: adopted, replicas: 0 }]);
  });

  test("leaves the old alone when the current one has all and none work", () => {
    const deployment = deploymentOf({ replicas: 2, maxSurge: 1, maxUnavailable: 1 });
    const annotations = sizeAnnotations(deployment);
    const current = replicaSetOf("new", { replicas: 2, available: 0, age: 1, annotations });
    const old = replicaSetOf("old", { replicas: 1, annotations });
    const sizes = scaledSizes(deployment, { current, old: [old] }).map(({ replicas }) => replicas);
    assert.deepEqual(sizes, [2, 1]);
  });

  test("lets none grow when all have to shrink, whatever the annotations of adopted ones say", () => {
    const deployment = deploymentOf({ replicas: 5, maxSurge: 2 });
    const of = (replicas: number): Record<string, string> =>
      sizeAnnotations(deploymentOf({ replicas, maxSurge: 0 }));
    const old = [
      replicaSetOf("v1", { replicas: 5, age: 1, annotations: of(1) }),
      replicaSetOf("v2", { replicas: 2, age: 2, annotations: of(2) }),
      replicaSetOf("v3", { replicas: 2, age: 3, annotations: of(2) }),
    ];
    const sizes = scaledSizes(deployment, { current: undefined, old });
    assert.deepEqual(
      sizes.map(({ replicas }) => replicas),
      [3, 2, 2],
    );
  });

  test("goes by the pods that are there when the annotation is lost", () => {
    const deployment = deploymentOf({ replicas: 10, status: { replicas: 5 } });
    const current = replicaSetOf("new", { replicas: 2, age: 1 });
    const old = replicaSetOf("old", { replicas: 3 });
    const sizes = scaledSizes(deployment, { current, old: [old] }).map(({ replicas }) => replicas);
    assert.deepEqual(sizes, [6, 4]);
  });

  test("adds exactly the pods that are missing, and takes none away that are not too many", () => {
    fc.assert(
      fc.property(
        fc.record({ replicas: fc.integer({ min: 1, max: 40 }), maxSurge: fc.nat(6) }),
        fc.record({ replicas: fc.integer({ min: 41, max: 80 }), maxSurge: fc.nat(6) }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 5 }),
        (small, large, sizes) => {
          const total = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
          const row = total(sizes) > 40 ? { from: large, to: small } : { from: small, to: large };
          const after = sizesAfter({ ...row, sizes });
          const allowed = row.to.replicas + maxSurge(deploymentOf(row.to));
          assert.ok(after.every((size) => size >= 0));
          if (allowed >= total(sizes)) assert.equal(total(after), allowed);
          else assert.ok(total(after) >= allowed && total(after) < total(sizes));
        },
      ),
    );
  });
});

describe("A Deployment counts as scaled", () => {
  const deployment = deploymentOf({ replicas: 5 });
  const at = (replicas: number, desired: string): boolean => {
    const annotations = { "deployment.kubernetes.io/desired-replicas": desired };
    const current = replicaSetOf("new", { replicas, annotations });
    return isScaled(deployment, { current, old: [] });
  };

  test("when a ReplicaSet with pods was sized for another number", () => assert.ok(at(3, "3")));
  test("not when it was sized for this one", () => assert.ok(!at(3, "5")));
  test("not by one without pods", () => assert.ok(!at(0, "3")));
  test("not by one whose annotation says nothing", () => assert.ok(!at(3, "-1")));
});
