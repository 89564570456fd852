import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { podTemplate, workload } from "./testing/workloads.ts";
import { created, merged, updated, withStatus } from "./testing/writes.ts";

const good = workload("DaemonSet");
const generation = "deprecated.daemonset.template.generation";

describe("DaemonSet", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "a spec without a selector",
      { spec: { selector: null } },
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ],
    [
      "an empty selector",
      { spec: { selector: { matchLabels: null } } },
      "spec.selector: Invalid value: {}: empty selector is invalid for daemonset",
    ],
    [
      "pods that are not restarted, or have a deadline",
      { spec: { template: podTemplate({ restartPolicy: "OnFailure", activeDeadlineSeconds: 5 }) } },
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
    ],
    [
      "negative numbers",
      { spec: { minReadySeconds: -1, revisionHistoryLimit: -1 } },
      "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "an unknown strategy",
      { spec: { updateStrategy: { type: "Foo" } } },
      'spec.updateStrategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
    [
      "both surge and unavailability",
      { spec: { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } } },
      "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero",
    ],
    [
      "neither surge nor unavailability",
      { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } } },
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
    ],
    [
      "more than all",
      { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: "101%" } } } },
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
  ]);

  itJudgesUpdates(good, [
    [
      "changes the selector",
      { spec: { selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } } },
      'spec.selector: Invalid value: {"matchLabels":{"app":"x"},"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
    ],
  ]);

  it("is replaced node by node when nothing else is said", () => {
    const { spec, status } = created(good).object;
    const { updateStrategy, revisionHistoryLimit } = spec as Record<string, unknown>;
    assert.deepEqual(updateStrategy, {
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
    });
    assert.equal(revisionHistoryLimit, 10);
    assert.deepEqual(status, {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    });
  });

  it("counts changes of the template in an annotation, whatever the client says", () => {
    assert.deepEqual(created(good).object.metadata.annotations, { [generation]: "1" });
    const claimed = merged(good, { metadata: { annotations: { [generation]: "7" } } });
    assert.deepEqual(updated(good, claimed).object.metadata.annotations, { [generation]: "1" });
    const other = merged(claimed, { spec: { template: podTemplate({ hostNetwork: true }) } });
    assert.deepEqual(updated(good, other).object.metadata.annotations, { [generation]: "2" });
  });

  it("refuses negative counters, and a collision count that goes back", () => {
    const { errors } = withStatus(
      good,
      { collisionCount: 2 },
      { numberReady: -1, collisionCount: 1 },
    );
    assert.deepEqual(errors, [
      "status.numberReady: Invalid value: -1: must be greater than or equal to 0",
      "status.collisionCount: Invalid value: 1: cannot be decremented",
    ]);
  });
});
