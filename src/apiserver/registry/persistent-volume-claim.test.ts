import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { created, merged, strategyFor, updated, withStatus } from "./testing/writes.ts";

const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "x" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const volume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "x" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    hostPath: { path: "/data" },
  },
};
const modes = '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"';

describe("PersistentVolumeClaim", () => {
  itAccepts(claim);

  itRefuses(claim, [
    [
      "a claim on nothing",
      { spec: { accessModes: null, resources: null } },
      "spec.accessModes: Required value: at least 1 access mode is required",
      "spec.resources[storage]: Required value",
    ],
    [
      "unknown modes",
      { spec: { accessModes: ["x"], volumeMode: "y" } },
      `spec.accessModes: Unsupported value: "x": supported values: ${modes}`,
      'spec.volumeMode: Unsupported value: "y": supported values: "Block", "Filesystem"',
    ],
    [
      "a pod of its own and others too",
      { spec: { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] } },
      "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
    ],
    [
      "no room",
      { spec: { resources: { requests: { storage: "0" } } } },
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
    [
      "a source without a name",
      { spec: { dataSource: { kind: "PersistentVolumeClaim" } } },
      "spec.dataSource.name: Required value",
      "spec.dataSourceRef.name: Required value",
    ],
    [
      "a source of an unknown kind",
      { spec: { dataSourceRef: { kind: "Other", name: "n" } } },
      `spec.dataSource: Invalid value: "Other": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      `spec.dataSourceRef: Invalid value: "Other": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ],
  ]);

  itJudgesUpdates(claim, [
    ["name the volume, once", { spec: { volumeName: "v" } }],
    ["name the class, once", { spec: { storageClassName: "fast" } }],
  ]);

  it("refuses other changes, and shows them", () => {
    const { errors } = updated(claim, merged(claim, { spec: { accessModes: ["ReadOnlyMany"] } }));
    assert.deepEqual(errors, [
      [
        "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
        "@@ -1,6 +1,6 @@",
        " {",
        '  "AccessModes": [',
        '-  "ReadWriteOnce"',
        '+  "ReadOnlyMany"',
        "  ],",
        '  "Selector": null,',
        '  "Resources": {',
        "",
      ].join("\n"),
    ]);
  });

  it("drops sources that the older field never knew", () => {
    const source = { dataSource: { kind: "Other", apiGroup: "a.b", name: "n" } };
    const { object, errors } = created(merged(claim, { spec: source }));
    assert.deepEqual(errors, []);
    assert.equal((object["spec"] as JsonObject)["dataSource"], undefined);
  });

  it("has both names of a source when the client uses one", () => {
    const source = { kind: "PersistentVolumeClaim", name: "n" };
    const { spec } = created(merged(claim, { spec: { dataSource: source } })).object;
    assert.deepEqual((spec as JsonObject)["dataSourceRef"], { apiGroup: null, ...source });
  });

  it("waits for a volume with files on it when nothing else is said", () => {
    const { spec, status } = created(claim).object;
    assert.equal((spec as JsonObject)["volumeMode"], "Filesystem");
    assert.deepEqual(status, { phase: "Pending" });
  });

  it("warns of fractions of a byte", () => {
    const { object } = created(
      merged(claim, { spec: { resources: { requests: { storage: "100m" } } } }),
    );
    assert.deepEqual(strategyFor("v1", "PersistentVolumeClaim").warnings?.(object, undefined), [
      'spec.resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer',
    ]);
  });

  it("refuses a negative capacity", () => {
    assert.deepEqual(withStatus(claim, {}, { capacity: { storage: "-1" } }).errors, [
      "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
    ]);
  });
});

describe("PersistentVolume", () => {
  itAccepts(volume);

  itRefuses(volume, [
    [
      "nothing at all",
      { spec: { accessModes: null, capacity: null, hostPath: null } },
      "spec.accessModes: Required value",
      "spec.capacity: Required value",
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      "spec: Required value: must specify a volume type",
    ],
    [
      "two sources",
      { spec: { nfs: { server: "s", path: "/p" } } },
      "spec.nfs: Forbidden: may not specify more than 1 volume type",
    ],
    [
      "an unknown policy",
      { spec: { persistentVolumeReclaimPolicy: "x" } },
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "x": supported values: "Delete", "Recycle", "Retain"',
    ],
    [
      "the recycling of a whole machine",
      { spec: { persistentVolumeReclaimPolicy: "Recycle", hostPath: { path: "/" } } },
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
    [
      "a local path that could be on any node",
      { spec: { hostPath: null, local: { path: "/x" } } },
      "spec.nodeAffinity: Required value: Local volume requires node affinity",
    ],
    [
      "a driver without a handle",
      { spec: { hostPath: null, csi: { driver: "d", nodePublishSecretRef: { name: "n" } } } },
      "spec.csi.volumeHandle: Required value",
      "spec.csi.nodePublishSecretRef.namespace: Required value",
    ],
  ]);

  it("refuses another source", () => {
    const other = merged(volume, { spec: { hostPath: { path: "/other" } } });
    const [error] = updated(volume, other).errors;
    assert.match(
      error ?? "",
      /^spec\.persistentvolumesource: Forbidden: spec\.persistentvolumesource is immutable after creation\n@@/,
    );
  });

  it("stays when its claim goes, and says since when it is in its phase", () => {
    const { spec, status } = created(volume).object;
    assert.equal((spec as JsonObject)["persistentVolumeReclaimPolicy"], "Retain");
    const now = "2026-01-02T03:04:05Z";
    assert.deepEqual(status, { phase: "Pending", lastPhaseTransitionTime: now });
    const before = { phase: "Available", lastPhaseTransitionTime: "2025-01-01T00:00:00Z" };
    const bound = withStatus(volume, before, { phase: "Bound" }).object["status"];
    assert.deepEqual(bound, { phase: "Bound", lastPhaseTransitionTime: now });
    assert.deepEqual(withStatus(volume, before, { phase: "Available" }).object["status"], before);
  });
});
