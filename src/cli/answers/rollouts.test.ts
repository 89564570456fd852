import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Workload } from "./picture.ts";
import { rolloutsIn } from "./rollouts.ts";
import { deployment } from "./testing/sample-picture.ts";

function messages(workload: Workload): readonly string[] {
  return rolloutsIn([workload]).map(({ message }) => message);
}

const whole = { observedGeneration: 1, replicas: 2, updatedReplicas: 2 };

describe("rolloutsIn", () => {
  const cases: readonly (readonly [string, Partial<Workload>, readonly string[]])[] = [
    ["is through", {}, []],
    ["was not looked at yet", { status: {} }, ["its rollout has not begun yet"]],
    [
      "has pods that are not there",
      { status: { ...whole, replicas: 1, updatedReplicas: 1 } },
      ["1 of 2 pods are there"],
    ],
    [
      "has pods of the old template",
      { status: { ...whole, updatedReplicas: 1 } },
      ["1 of 2 pods are of the new template"],
    ],
    [
      "has old pods beside the new",
      { status: { ...whole, replicas: 3 } },
      ["1 of the old pods are still there"],
    ],
    [
      "is paused",
      { spec: { ...deployment().spec, paused: true }, status: { ...whole, updatedReplicas: 1 } },
      [],
    ],
    [
      "is a StatefulSet with a partition",
      { kind: "StatefulSet", status: { ...whole, updatedReplicas: 0 } },
      [],
    ],
    [
      "is a DaemonSet under way",
      {
        kind: "DaemonSet",
        status: {
          ...whole,
          desiredNumberScheduled: 3,
          currentNumberScheduled: 3,
          updatedNumberScheduled: 2,
        },
      },
      ["2 of 3 pods are of the new template"],
    ],
  ];
  for (const [what, fields, expected] of cases) {
    it(`says how far a workload is that ${what}`, () => {
      deepEqual(messages(deployment(fields)), expected);
    });
  }

  it("names the objects that its pods will use, each once", () => {
    const [rollout] = rolloutsIn([deployment({ status: {} })]);
    deepEqual(rollout?.objects, [{ kind: "ConfigMap", namespace: "default", name: "app" }]);
  });
});
