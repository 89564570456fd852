import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { podTemplate, workload } from "./testing/workloads.ts";
import { created, merged, strategyFor, withStatus } from "./testing/writes.ts";

const good = workload("StatefulSet", { serviceName: "s" });
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

describe("StatefulSet", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "a name that hosts cannot have",
      { metadata: { name: "a.b" } },
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ],
    [
      "unknown policies",
      { spec: { podManagementPolicy: "x", updateStrategy: { type: "Recreate" } } },
      `spec.podManagementPolicy: Invalid value: "x": must be 'OrderedReady' or 'Parallel'`,
      `spec.updateStrategy: Invalid value: {"Type":"Recreate","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
    ],
    [
      "steps of an update for OnDelete",
      { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } } },
      `spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
    ],
    [
      "numbers that cannot be",
      {
        spec: {
          replicas: -1,
          ordinals: { start: -1 },
          updateStrategy: { rollingUpdate: { partition: -1, maxUnavailable: 0 } },
        },
      },
      "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0",
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0",
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      "spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "an unknown fate of claims",
      { spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Keep" } } },
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported values: "Retain", "Delete"',
    ],
    [
      "a claim that asks for nothing",
      { spec: { volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }] } },
      "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
      "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
    ],
    [
      "an empty selector",
      { spec: { selector: { matchLabels: null } } },
      "spec.selector: Invalid value: {}: empty selector is invalid for statefulset",
    ],
  ]);

  it("makes volumes of its claims, so that containers can mount them", () => {
    const containers = [
      { name: "c", image: "i", volumeMounts: [{ name: "data", mountPath: "/d" }] },
    ];
    const spec = { volumeClaimTemplates: [claim], template: podTemplate({ containers }) };
    assert.deepEqual(created(merged(good, { spec })).errors, []);
  });

  itJudgesUpdates(merged(good, { spec: { volumeClaimTemplates: [claim] } }), [
    [
      "changes what is fixed",
      { spec: { serviceName: "t", podManagementPolicy: "Parallel" } },
      'spec.serviceName: Invalid value: "t": field is immutable',
      'spec.podManagementPolicy: Invalid value: "Parallel": field is immutable',
    ],
    [
      "takes claims away",
      { spec: { volumeClaimTemplates: null } },
      "spec.volumeClaimTemplates: Invalid value: null: field is immutable",
    ],
    ["scale", { spec: { replicas: 5 } }],
  ]);

  it("is ordered, and keeps its claims, when nothing else is said", () => {
    const { spec, status } = created(
      merged(good, { spec: { volumeClaimTemplates: [claim] } }),
    ).object;
    const { template: _, ...others } = spec as Record<string, unknown>;
    assert.deepEqual(others, {
      replicas: 1,
      selector: { matchLabels: { app: "x" } },
      volumeClaimTemplates: [
        {
          kind: "PersistentVolumeClaim",
          apiVersion: "v1",
          metadata: { name: "data" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1Gi" } },
            volumeMode: "Filesystem",
          },
          status: { phase: "Pending" },
        },
      ],
      serviceName: "s",
      podManagementPolicy: "OrderedReady",
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: { partition: 0, maxUnavailable: 1 },
      },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
    });
    assert.deepEqual(status, { replicas: 0, availableReplicas: 0 });
  });

  it("warns of a history without end", () => {
    const { object } = created(merged(good, { spec: { revisionHistoryLimit: -1 } }));
    assert.deepEqual(strategyFor("apps/v1", "StatefulSet").warnings?.(object, undefined), [
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    ]);
  });

  it("refuses a status that contradicts itself", () => {
    const { errors } = withStatus(
      good,
      {},
      { replicas: 1, currentReplicas: 2, availableReplicas: 1 },
    );
    assert.deepEqual(errors, [
      "status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas",
    ]);
  });
});
