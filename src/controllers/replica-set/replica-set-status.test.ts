import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReplicaSet, ReplicaSetStatus } from "../../api/types.ts";
import { madePod } from "../pods/testing/made-pod.ts";
import { replicaSetStatus } from "./replica-set-status.ts";

const nowMs = Date.parse("2024-01-01T01:00:00Z");
const labels = { app: "web", tier: "front" };
const nothing = { active: [], terminating: [], failure: undefined, nowMs };

function madeSet(replicas: number, status: Partial<ReplicaSetStatus> = {}): ReplicaSet {
  return {
    metadata: { name: "web", generation: 3 },
    spec: {
      replicas,
      minReadySeconds: 60,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels }, spec: { containers: [] } },
    },
    status: { replicas: 0, ...status },
  };
}

test("The status counts pods by their labels, readiness and availability", () => {
  const active = [
    madePod({ name: "a", labels, ready: "2024-01-01T00:00:00Z" }),
    madePod({ name: "b", labels: { app: "web" }, ready: "2024-01-01T00:59:30Z" }),
    madePod({ name: "c", labels: { ...labels, more: "yes" } }),
  ];
  const terminating = [madePod({ deleted: "2024-01-01T00:59:59Z" })];
  assert.deepEqual(replicaSetStatus(madeSet(3), { ...nothing, active, terminating }), {
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 1,
    observedGeneration: 3,
  });
});

for (const [replicas, reason] of [
  [2, "FailedCreate"],
  [0, "FailedDelete"],
] as const) {
  test(`A failure with ${replicas} wanted and 1 there is a ReplicaFailure by ${reason}`, () => {
    const facts = { ...nothing, active: [madePod()], failure: "pods is forbidden: no more" };
    assert.deepEqual(replicaSetStatus(madeSet(replicas), facts).conditions, [
      {
        type: "ReplicaFailure",
        status: "True",
        lastTransitionTime: "2024-01-01T01:00:00Z",
        reason,
        message: "pods is forbidden: no more",
      },
    ]);
  });
}

const failed = {
  type: "ReplicaFailure",
  status: "True",
  lastTransitionTime: "2024-01-01T00:00:00Z",
  reason: "FailedCreate",
  message: "the first",
};
const other = { type: "Other", status: "True" };

test("A failure that is told of keeps its text and time", () => {
  const set = madeSet(2, { conditions: [failed, other] });
  const { conditions } = replicaSetStatus(set, { ...nothing, failure: "the second" });
  assert.deepEqual(conditions, [failed, other]);
});

test("The condition goes with the failure, and others stay", () => {
  const set = madeSet(2, { conditions: [failed, other] });
  assert.deepEqual(replicaSetStatus(set, nothing).conditions, [other]);
  const last = madeSet(2, { conditions: [failed] });
  assert.equal("conditions" in replicaSetStatus(last, nothing), false);
});
