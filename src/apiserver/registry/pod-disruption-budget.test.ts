import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itRefuses } from "./testing/refusals.ts";
import { strategyFor, withStatus } from "./testing/writes.ts";

const good = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "x" },
  spec: { minAvailable: "50%", selector: { matchLabels: { app: "x" } } },
};

describe("PodDisruptionBudget", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "two numbers",
      { spec: { maxUnavailable: 1 } },
      'spec: Invalid value: {"MinAvailable":"50%","Selector":{"matchLabels":{"app":"x"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
    [
      "more than all",
      { spec: { minAvailable: "101%" } },
      'spec.minAvailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      "less than none, and an unknown policy",
      { spec: { minAvailable: -1, unhealthyPodEvictionPolicy: "x" } },
      "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0",
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ]);

  it("needs the resourceVersion in an update", () => {
    assert.equal(strategyFor("policy/v1", "PodDisruptionBudget").requiresResourceVersion, true);
  });

  it("refuses a status with conditions that say nothing", () => {
    const conditions = [{ type: "A", status: "x", reason: "bad reason" }];
    const { errors } = withStatus(good, {}, { conditions, expectedPods: -1 });
    assert.deepEqual(errors, [
      'status.conditions[0].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
      "status.conditions[0].lastTransitionTime: Required value",
      `status.conditions[0].reason: Invalid value: "bad reason": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
      "status.expectedPods: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});
