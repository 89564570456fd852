import assert from "node:assert/strict";
import { test } from "node:test";
import { forgottenSets } from "./revision-cleanup.ts";
import { deploymentOf, replicaSetOf } from "./testing/rollout-objects.ts";

function forgotten(
  limit: number | undefined,
  sets: readonly (readonly [replicas: number, pods: number])[],
): string[] {
  const old = sets.map(([replicas, pods], age) => replicaSetOf(`v${age}`, { replicas, pods, age }));
  const spec = limit === undefined ? {} : { revisionHistoryLimit: limit };
  const gone = forgottenSets(deploymentOf({ replicas: 1, spec }), old);
  return gone.map(({ metadata }) => metadata.name ?? "");
}

test("The oldest ReplicaSets beyond the limit are forgotten", () => {
  assert.deepEqual(
    forgotten(1, [
      [0, 0],
      [0, 0],
      [0, 0],
    ]),
    ["v0", "v1"],
  );
});

test("ReplicaSets with pods, or that are to get some, are never forgotten", () => {
  assert.deepEqual(
    forgotten(0, [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]),
    ["v0"],
  );
});

test("ReplicaSets with pods count for the limit", () => {
  assert.deepEqual(
    forgotten(1, [
      [1, 1],
      [0, 0],
    ]),
    [],
  );
});

test("No ReplicaSet is forgotten below the limit, without one, or when it is the largest number", () => {
  const sets = [
    [0, 0],
    [0, 0],
  ] as const;
  assert.deepEqual(
    [2, undefined, 2 ** 31 - 1].flatMap((limit) => forgotten(limit, sets)),
    [],
  );
});

test("The order of revisions counts, not that of age", () => {
  const revision = "deployment.kubernetes.io/revision";
  const back = replicaSetOf("back", { replicas: 0, age: 0, annotations: { [revision]: "3" } });
  const middle = replicaSetOf("middle", { replicas: 0, age: 1, annotations: { [revision]: "2" } });
  const deployment = deploymentOf({ replicas: 1, spec: { revisionHistoryLimit: 1 } });
  assert.deepEqual(forgottenSets(deployment, [back, middle]), [middle]);
});

test("A ReplicaSet whose last change nobody has acted on yet is not forgotten", () => {
  const set = replicaSetOf("v0", { replicas: 0 });
  set.metadata.generation = 2;
  const deployment = deploymentOf({ replicas: 1, spec: { revisionHistoryLimit: 0 } });
  assert.deepEqual(forgottenSets(deployment, [set]), []);
});
