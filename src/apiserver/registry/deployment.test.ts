import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { podTemplate, workload } from "./testing/workloads.ts";
import { created, decoded, merged, strategyFor, updated, withStatus } from "./testing/writes.ts";

const good = workload("Deployment");
const mismatch = "`selector` does not match template `labels`";

describe("Deployment", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "an empty spec",
      { spec: { selector: null, template: null } },
      "spec.selector: Required value",
      `spec.template.metadata.labels: Invalid value: null: ${mismatch}`,
      "spec.template.spec.containers: Required value",
    ],
    [
      "a selector that does not match the template",
      { spec: { selector: { matchLabels: { app: "other" } } } },
      `spec.template.metadata.labels: Invalid value: {"app":"x"}: ${mismatch}`,
    ],
    [
      "an empty selector",
      { spec: { selector: { matchLabels: null } } },
      "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
    ],
    [
      "a selector that cannot be used",
      { spec: { selector: { matchExpressions: [{ key: "a", operator: "In" }] } } },
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchLabels":{"app":"x"},"matchExpressions":[{"key":"a","operator":"In"}]}: invalid label selector',
    ],
    [
      "negative numbers",
      { spec: { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 } },
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "pods that are not restarted, or have a deadline",
      { spec: { template: podTemplate({ restartPolicy: "Never", activeDeadlineSeconds: 5 }) } },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
    ],
    [
      "two containers with one name",
      {
        spec: {
          template: podTemplate({
            containers: [
              { name: "c", image: "a" },
              { name: "c", image: "b" },
            ],
          }),
        },
      },
      'spec.template.spec.containers[1].name: Duplicate value: "c"',
    ],
    [
      "steps of an update for Recreate",
      { spec: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } } },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      "an unknown strategy",
      { spec: { strategy: { type: "Foo" } } },
      'spec.strategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      "an update that could never move",
      { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
    ],
    [
      "numbers of an update that are no numbers",
      { spec: { strategy: { rollingUpdate: { maxSurge: -1, maxUnavailable: "x" } } } },
      `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "x": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
      "spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "more unavailable than there are",
      { spec: { strategy: { rollingUpdate: { maxUnavailable: "101%" } } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      "a deadline that ends before a pod can be ready",
      { spec: { progressDeadlineSeconds: 5, minReadySeconds: 5 } },
      "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds",
    ],
  ]);

  itJudgesUpdates(good, [
    [
      "changes the selector",
      {
        spec: {
          selector: { matchLabels: { app: "e" } },
          template: { metadata: { labels: { app: "e" } } },
        },
      },
      'spec.selector: Invalid value: {"matchLabels":{"app":"e"}}: field is immutable',
    ],
    ["scale", { spec: { replicas: 3 } }],
  ]);

  it("is one pod that is replaced step by step when nothing else is said", () => {
    const { spec, status } = created(good).object;
    assert.deepEqual(spec, {
      replicas: 1,
      selector: { matchLabels: { app: "x" } },
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [
            {
              name: "c",
              image: "i",
              resources: {},
              terminationMessagePath: "/dev/termination-log",
              terminationMessagePolicy: "File",
              imagePullPolicy: "Always",
            },
          ],
          restartPolicy: "Always",
          terminationGracePeriodSeconds: 30,
          dnsPolicy: "ClusterFirst",
          securityContext: {},
          schedulerName: "default-scheduler",
        },
      },
      strategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
      },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    assert.deepEqual(status, {});
  });

  it("gets no steps of an update for Recreate", () => {
    const { spec } = created(merged(good, { spec: { strategy: { type: "Recreate" } } })).object;
    assert.deepEqual((spec as { strategy: object }).strategy, { type: "Recreate" });
  });

  it("starts without the status that the client sent, and keeps it in an update", () => {
    const sent = merged(good, { status: { replicas: 5 } });
    assert.deepEqual(created(sent).object["status"], {});
    assert.deepEqual(updated(good, sent).object["status"], {});
  });

  it("counts a change of annotations as a generation", () => {
    const base = merged(good, { metadata: { generation: 4 } });
    const changed = merged(base, { metadata: { annotations: { a: "b" } } });
    assert.equal(updated(base, changed).object.metadata.generation, 5);
    assert.equal(updated(base, base).object.metadata.generation, 4);
  });

  it("keeps spec and labels in an update of the status", () => {
    const { object, errors } = withStatus(good, {}, { replicas: 1 });
    assert.deepEqual(errors, []);
    const strategy = strategyFor("apps/v1", "Deployment");
    const other = decoded(
      merged(good, { metadata: { labels: { a: "b" } }, spec: { replicas: 9 } }),
    );
    strategy.prepareForStatusUpdate?.(other, object, { now: "", nowMs: 0, dryRun: false });
    assert.deepEqual(other["spec"], object["spec"]);
    assert.equal(other.metadata.labels, undefined);
  });

  it("refuses a status that contradicts itself", () => {
    const before = { collisionCount: 2 };
    const after = { replicas: 1, updatedReplicas: 2, readyReplicas: -1, availableReplicas: 2 };
    const more = "cannot be greater than status.replicas";
    assert.deepEqual(withStatus(good, before, after).errors, [
      "status.readyReplicas: Invalid value: -1: must be greater than or equal to 0",
      `status.updatedReplicas: Invalid value: 2: ${more}`,
      `status.availableReplicas: Invalid value: 2: ${more}`,
      "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
      "status.collisionCount: Invalid value: 0: cannot be decremented",
    ]);
  });

  it("warns of a name that hosts cannot have", () => {
    const strategy = strategyFor("apps/v1", "Deployment");
    const { object } = created(merged(good, { metadata: { name: "a.b" } }));
    const text =
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]";
    assert.deepEqual(strategy.warnings?.(object, undefined), [text]);
    assert.deepEqual(strategy.warnings?.(object, object), []);
  });
});
