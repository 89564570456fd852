import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { workload } from "./testing/workloads.ts";
import { created, strategyFor, withStatus } from "./testing/writes.ts";

const good = workload("ReplicaSet");

describe("ReplicaSet", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "negative numbers",
      { spec: { replicas: -1, minReadySeconds: -2 } },
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      "spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0",
    ],
    [
      "an empty selector, in the API's words",
      { spec: { selector: { matchLabels: null } } },
      "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
    ],
  ]);

  itJudgesUpdates(good, [
    [
      "changes the selector",
      { spec: { selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } } },
      'spec.selector: Invalid value: {"matchLabels":{"app":"x"},"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
    ],
  ]);

  it("has one replica, and a status that says zero", () => {
    const { spec, status } = created(good).object;
    assert.equal((spec as { replicas: number }).replicas, 1);
    assert.deepEqual(status, { replicas: 0 });
  });

  it("cannot be selected by its status, as in the API", () => {
    assert.equal(strategyFor("apps/v1", "ReplicaSet").fieldLabels, undefined);
  });

  it("refuses a status that contradicts itself", () => {
    const more = "cannot be greater than status.replicas";
    const status = { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 3 };
    assert.deepEqual(withStatus(good, {}, status).errors, [
      `status.fullyLabeledReplicas: Invalid value: 2: ${more}`,
      `status.readyReplicas: Invalid value: 2: ${more}`,
      `status.availableReplicas: Invalid value: 3: ${more}`,
      "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas",
    ]);
  });
});
