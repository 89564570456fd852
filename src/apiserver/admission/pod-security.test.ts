import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { LATEST, type Policy } from "./pod-security/policy.ts";
import { type Exemptions, PodSecurity } from "./pod-security.ts";
import {
  cacheOf,
  type KindName,
  type RequestOptions,
  refusalOf,
  requestFor,
} from "./testing/requests.ts";

const prefix = "pod-security.kubernetes.io/";

function labelled(labels: { readonly [key: string]: string }): JsonObject {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [prefix + key, value]));
}

const namespaces = cacheOf(
  "v1 Namespace",
  { metadata: { name: "n", labels: labelled({ enforce: "baseline" }) } },
  { metadata: { name: "free" } },
  { metadata: { name: "noted", labels: labelled({ audit: "baseline", warn: "restricted" }) } },
  { metadata: { name: "odd", labels: labelled({ enforce: "x" }) } },
);

const container = { name: "a", image: "i" };
const podOf = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const owned = (uid: string): JsonObject => ({
  ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid, controller: true }],
});
const pods = cacheOf(
  "v1 Pod",
  podOf("c", { hostPID: true }),
  podOf("b", { hostPID: true }, owned("1")),
  podOf("a", { hostPID: true }, owned("1")),
  podOf("d", { hostNetwork: true }),
  podOf("good"),
);

interface Outcome {
  readonly refusal: string;
  readonly warnings: readonly string[];
  readonly annotations: { readonly [key: string]: string };
}

function outcome(
  kind: KindName,
  options: RequestOptions,
  config: { readonly exemptions?: Exemptions; readonly defaults?: Policy } = {},
): Outcome {
  const request = requestFor(kind, options);
  const refusal = refusalOf(new PodSecurity({ namespaces, pods, ...config }), request);
  const notes = [...request.annotations].map(
    ([key, value]) => [key.replace(prefix, ""), value] as const,
  );
  return { refusal, warnings: request.warnings, annotations: Object.fromEntries(notes) };
}

const host = podOf("p", { hostPID: true });
const hostFound = "host namespaces (hostPID=true)";
const calm: Outcome = { refusal: "", warnings: [], annotations: {} };
const refused: Outcome = {
  refusal: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${hostFound}`,
  warnings: [],
  annotations: { "enforce-policy": "baseline:latest" },
};

describe("PodSecurity", () => {
  it("refuses a pod that violates what its namespace enforces", () => {
    assert.deepEqual(outcome("v1 Pod", { object: host }), refused);
  });

  it("lets a pod be that does not", () => {
    assert.deepEqual(outcome("v1 Pod", { object: podOf("p") }), {
      ...calm,
      annotations: { "enforce-policy": "baseline:latest" },
    });
  });

  it("lets anything be where nothing is asked for", () => {
    assert.deepEqual(outcome("v1 Pod", { object: host, namespace: "free" }), {
      ...calm,
      annotations: { "enforce-policy": "privileged:latest" },
    });
  });

  it("warns and notes where only that is asked for", () => {
    const { refusal, warnings, annotations } = outcome("v1 Pod", {
      object: host,
      namespace: "noted",
    });
    assert.equal(refusal, "");
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? "",
      /^would violate PodSecurity "restricted:latest": host namespaces \(hostPID=true\), allowPrivilegeEscalation != false/,
    );
    assert.deepEqual(annotations, {
      "enforce-policy": "privileged:latest",
      "audit-violations": `would violate PodSecurity "baseline:latest": ${hostFound}`,
    });
  });

  it("enforces the strictest level where the label is none, and notes why", () => {
    const { refusal, annotations } = outcome("v1 Pod", { object: podOf("p"), namespace: "odd" });
    assert.match(refusal, /violates PodSecurity "restricted:latest"/);
    assert.equal(
      annotations["error"],
      'Failed to parse policy: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
    );
  });

  it("holds defaults against pods in namespaces without labels", () => {
    const level = { level: "baseline", version: LATEST } as const;
    const defaults = { enforce: level, audit: level, warn: level };
    const { refusal } = outcome("v1 Pod", { object: host, namespace: "free" }, { defaults });
    assert.equal(refusal, refused.refusal);
  });

  const workloads: readonly (readonly [KindName, JsonObject])[] = [
    ["v1 ReplicationController", { spec: { template: host } }],
    ["v1 PodTemplate", { template: host }],
    ["apps/v1 Deployment", { spec: { template: host } }],
    ["apps/v1 ReplicaSet", { spec: { template: host } }],
    ["apps/v1 StatefulSet", { spec: { template: host } }],
    ["apps/v1 DaemonSet", { spec: { template: host } }],
    ["batch/v1 Job", { spec: { template: host } }],
    ["batch/v1 CronJob", { spec: { jobTemplate: { spec: { template: host } } } }],
  ];
  for (const [kind, object] of workloads) {
    it(`warns of the template of a ${kind.split(" ")[1]} and refuses nothing`, () => {
      assert.deepEqual(outcome(kind, { object }), {
        ...calm,
        warnings: [`would violate PodSecurity "baseline:latest": ${hostFound}`],
      });
    });
  }

  it("has nothing to say of a ReplicationController without a template, or of other kinds", () => {
    assert.deepEqual(outcome("v1 ReplicationController", { object: { spec: {} } }), calm);
    assert.deepEqual(outcome("v1 ConfigMap", { object: {} }), calm);
  });

  it("lets no pod into a namespace of which it knows nothing, but a workload", () => {
    const namespace = "gone";
    assert.equal(
      outcome("v1 Pod", { object: host, namespace }).refusal,
      'Internal error occurred: failed to lookup namespace "gone"',
    );
    const object = { spec: { template: host } };
    assert.deepEqual(outcome("apps/v1 Deployment", { object, namespace }), {
      ...calm,
      annotations: {
        error: 'failed to lookup namespace "gone": namespaces "gone" not found',
      },
    });
  });

  it("has nothing to say of the status of a workload", () => {
    const object = { spec: { template: host } };
    const options = { object, old: object, operation: "UPDATE", subresource: "status" } as const;
    assert.deepEqual(outcome("apps/v1 Deployment", options), calm);
  });
});

const updates: readonly (readonly [string, JsonObject, JsonObject, boolean, string?])[] = [
  ["the labels of a pod that runs", host, host, false],
  [
    "a new image",
    podOf("p", { hostPID: true, containers: [{ ...container, image: "j" }] }),
    host,
    true,
  ],
  [
    "a new debugging container",
    podOf("p", { hostPID: true, ephemeralContainers: [{ name: "e", image: "i" }] }),
    host,
    true,
    "ephemeralcontainers",
  ],
  [
    "a debugging container that was there",
    podOf("p", { hostPID: true, ephemeralContainers: [{ name: "e", image: "i" }] }),
    podOf("p", { hostPID: true, ephemeralContainers: [{ name: "e", image: "i" }] }),
    false,
    "ephemeralcontainers",
  ],
  ["the status", podOf("p", { hostPID: true, containers: [] }), host, false, "status"],
];

describe("PodSecurity looks in an update", () => {
  for (const [what, object, old, isLookedAt, subresource = ""] of updates) {
    it(`${isLookedAt ? "at" : "not at"} ${what}`, () => {
      const { refusal } = outcome("v1 Pod", { operation: "UPDATE", object, old, subresource });
      assert.equal(refusal, isLookedAt ? refused.refusal : "");
    });
  }
});

describe("PodSecurity exempts", () => {
  const none: Exemptions = { namespaces: [], usernames: [], runtimeClasses: [] };
  const cases: readonly (readonly [string, Exemptions, JsonObject])[] = [
    ["namespace", { ...none, namespaces: ["n"] }, host],
    ["user", { ...none, usernames: ["somebody"] }, host],
    [
      "runtimeClass",
      { ...none, runtimeClasses: ["vm"] },
      podOf("p", { hostPID: true, runtimeClassName: "vm" }),
    ],
  ];
  for (const [by, exemptions, object] of cases) {
    it(`by ${by}, and notes it`, () => {
      assert.deepEqual(outcome("v1 Pod", { object }, { exemptions }), {
        ...calm,
        annotations: { exempt: by },
      });
      assert.deepEqual(outcome("v1 Pod", { object: host }, { exemptions: none }), refused);
    });
  }

  it("a namespace whose labels then do nothing, and says so", () => {
    const exemptions = { ...none, namespaces: ["x"] };
    const labels = labelled({ enforce: "baseline", "warn-version": "v1.30" });
    const object = { metadata: { name: "x", labels } };
    assert.deepEqual(outcome("v1 Namespace", { object }, { exemptions }).warnings, [
      'namespace "x" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=baseline:v1.30) will be ignored',
    ]);
  });
});

function namespaceUpdate(
  before: { [key: string]: string },
  now: { [key: string]: string },
): Outcome {
  return outcome("v1 Namespace", {
    operation: "UPDATE",
    name: "n",
    object: { metadata: { name: "n", labels: labelled(now) } },
    old: { metadata: { name: "n", labels: labelled(before) } },
  });
}

const violating =
  'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"';

describe("PodSecurity and the labels of a namespace", () => {
  it("refuses labels that mean nothing", () => {
    const object = { metadata: { name: "x", labels: labelled({ enforce: "x" }) } };
    assert.equal(
      outcome("v1 Namespace", { object }).refusal,
      'Namespace "x" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
    );
  });

  it("refuses them in an update only if they are new", () => {
    assert.match(namespaceUpdate({}, { warn: "x" }).refusal, /is invalid/);
    assert.equal(namespaceUpdate({ warn: "x" }, { warn: "x" }).refusal, "");
    assert.match(namespaceUpdate({ warn: "x" }, { warn: "y" }).refusal, /is invalid/);
  });

  it("warns of pods that violate a stricter level", () => {
    const { warnings } = namespaceUpdate({}, { enforce: "baseline" });
    assert.deepEqual(warnings, [violating, "a (and 3 other pods): host namespaces"]);
  });

  it("tells reasons apart", () => {
    const { warnings } = namespaceUpdate({}, { enforce: "restricted", "enforce-version": "v1.0" });
    assert.deepEqual(warnings, [
      'existing pods in namespace "n" violate the new PodSecurity enforce level "restricted:v1.0"',
      "a (and 3 other pods): host namespaces, runAsNonRoot != true",
      "good: runAsNonRoot != true",
    ]);
  });

  it("warns of pods when only the version changes", () => {
    const { warnings } = namespaceUpdate(
      { enforce: "baseline", "enforce-version": "v1.30" },
      { enforce: "baseline" },
    );
    assert.equal(warnings.length, 2);
  });

  it("says nothing when the level stays, or becomes less strict", () => {
    for (const now of ["restricted", "baseline", "privileged"]) {
      assert.deepEqual(namespaceUpdate({ enforce: "restricted" }, { enforce: now }), calm);
    }
  });
});
