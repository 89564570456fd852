import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { conditionOf } from "./deployment-conditions.ts";
import { observedStatus } from "./deployment-status.ts";
import { type DeploymentFacts, deploymentOf, replicaSetOf } from "./testing/rollout-objects.ts";

const nowMs = Date.UTC(2024, 0, 1, 0, 2);

describe("A Deployment's status", () => {
  test("adds up what its ReplicaSets say", () => {
    const deployment = deploymentOf({ replicas: 10, generation: 4, status: { collisionCount: 2 } });
    const current = replicaSetOf("new", { replicas: 5, pods: 4, available: 3 });
    const old = replicaSetOf("old", { replicas: 6, pods: 7, available: 6 });
    const { conditions: _, ...counts } = observedStatus(deployment, { current, old: [old] }, nowMs);
    assert.deepEqual(counts, {
      ...{ observedGeneration: 4, replicas: 11, updatedReplicas: 4, readyReplicas: 9 },
      ...{ availableReplicas: 9, unavailableReplicas: 2 },
      ...{ terminatingReplicas: undefined, collisionCount: 2 },
    });
  });

  test("has no fewer than no unavailable pods while it shrinks", () => {
    const current = replicaSetOf("new", { replicas: 1, pods: 3 });
    const status = observedStatus(deploymentOf({ replicas: 1 }), { current, old: [] }, nowMs);
    assert.equal(status.unavailableReplicas, 0);
  });

  test("tells of stopping pods only if every ReplicaSet does, or has never been looked at", () => {
    const deployment = deploymentOf({ replicas: 3 });
    const telling = replicaSetOf("a", { replicas: 1 });
    telling.status.terminatingReplicas = 2;
    const fresh = replicaSetOf("b", { replicas: 1 });
    delete fresh.status.observedGeneration;
    const silent = replicaSetOf("c", { replicas: 1 });
    const of = (...old: (typeof silent)[]): number | undefined =>
      observedStatus(deployment, { current: telling, old }, nowMs).terminatingReplicas;
    assert.deepEqual([of(), of(fresh), of(fresh, silent)], [2, 2, undefined]);
  });

  const table: readonly (readonly [string, DeploymentFacts, number, string, string])[] = [
    ["all are there", { replicas: 3 }, 3, "True", "MinimumReplicasAvailable"],
    [
      "as many as promised are there",
      { replicas: 4, maxUnavailable: 1 },
      3,
      "True",
      "MinimumReplicasAvailable",
    ],
    [
      "one less than promised is there",
      { replicas: 4, maxUnavailable: 1 },
      2,
      "False",
      "MinimumReplicasUnavailable",
    ],
    [
      "one is missing in a Recreate",
      { replicas: 3, type: "Recreate" },
      2,
      "False",
      "MinimumReplicasUnavailable",
    ],
    ["none are wanted", { replicas: 0 }, 0, "True", "MinimumReplicasAvailable"],
  ];
  for (const [what, facts, available, status, reason] of table) {
    test(`says whether it is available when ${what}`, () => {
      const current = replicaSetOf("new", { replicas: facts.replicas, available });
      const observed = observedStatus(deploymentOf(facts), { current, old: [] }, nowMs);
      const condition = conditionOf(observed.conditions, "Available");
      assert.deepEqual([condition?.status, condition?.reason], [status, reason]);
      const has = status === "True" ? "has" : "does not have";
      assert.equal(condition?.message, `Deployment ${has} minimum availability.`);
    });
  }
});
