import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import type { JsonObject, JsonValue } from "../json.ts";
import { tableFor } from "./kind-tables.ts";

const nowMs = Date.parse("2026-01-02T00:00:00Z");

function ago(seconds: number): string {
  return `${new Date(nowMs - seconds * 1000).toISOString().slice(0, 19)}Z`;
}

function kindOf(qualified: string): { group: string; resource: string } {
  const [resource = "", ...group] = qualified.split(".");
  return { resource, group: group.join(".") };
}

/** The cells of an object that was created a minute ago. */
function cells(kind: string, object: JsonObject): JsonValue[] {
  const metadata = { name: "x", creationTimestamp: ago(60), ...(object["metadata"] as JsonObject) };
  return tableFor(kindOf(kind)).cells({ ...object, metadata }, nowMs);
}

/** What a real server sent: the first digits of the SHA-256 of each kind's column definitions as JSON. */
const recordedColumns = {
  configmaps: "c15d3a5fd8ca8c85",
  secrets: "9ec7d290f7393fae",
  serviceaccounts: "e226e365961c2e0e",
  pods: "6d6ea400c3d9a40d",
  events: "bb78ef5dc56b870b",
  "events.events.k8s.io": "bb78ef5dc56b870b",
  namespaces: "5357caa6dbc46213",
  nodes: "4de3f8a444fdf011",
  "deployments.apps": "649a78801e731e28",
  "replicasets.apps": "993d27f3815f0dfe",
  "daemonsets.apps": "9e766402cf478b5d",
  "statefulsets.apps": "a5ed39dbe5121b7b",
  "jobs.batch": "5c24275c21b09db6",
  "cronjobs.batch": "2cbc117ec568a941",
  services: "f1a7013b3fe8bb91",
  "leases.coordination.k8s.io": "45db99ba9c77ccc7",
} as const;

describe("column definitions", () => {
  for (const [kind, digest] of Object.entries(recordedColumns)) {
    test(`of ${kind} are those of the API to the letter`, () => {
      const text = JSON.stringify(tableFor(kindOf(kind)).columns);
      assert.equal(createHash("sha256").update(text).digest("hex").slice(0, 16), digest);
    });
  }

  test("have one cell each, even for an object without anything in it", () => {
    for (const kind of [...Object.keys(recordedColumns), ...otherKinds]) {
      const table = tableFor(kindOf(kind));
      assert.equal(table.cells({ metadata: {} }, nowMs).length, table.columns.length, kind);
    }
  });
});

const otherKinds = [
  "endpoints",
  "endpointslices.discovery.k8s.io",
  "persistentvolumeclaims",
  "persistentvolumes",
  "replicationcontrollers",
  "ingresses.networking.k8s.io",
  "resourcequotas",
  "limitranges",
  "poddisruptionbudgets.policy",
  "controllerrevisions.apps",
  "roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
  "scale.autoscaling",
  "configrevisions.driftless.dev",
  "configviews.driftless.dev",
  "deliverypolicies.driftless.dev",
];

const template = {
  spec: {
    containers: [
      { name: "c", image: "nginx:2" },
      { name: "s", image: "side" },
    ],
    nodeSelector: { a: "b" },
  },
};
const selector = { matchLabels: { app: "d" } };

describe("a row", () => {
  for (const [kind, object, expected] of [
    ["configmaps", { data: { a: "1" }, binaryData: { b: "" } }, ["x", 2, "60s"]],
    ["secrets", { type: "Opaque", data: { a: "" } }, ["x", "Opaque", 1, "60s"]],
    ["serviceaccounts", {}, ["x", "60s"]],
    ["namespaces", { status: { phase: "Active" } }, ["x", "Active", "60s"]],
    ["leases.coordination.k8s.io", { spec: { holderIdentity: "me" } }, ["x", "me", "60s"]],
    ["limitranges", {}, ["x", ago(60)]],
    [
      "deployments.apps",
      {
        spec: { replicas: 5, selector, template },
        status: { readyReplicas: 1, updatedReplicas: 2 },
      },
      ["x", "1/5", 2, 0, "60s", "c,s", "nginx:2,side", "app=d"],
    ],
    [
      "replicasets.apps",
      { spec: { replicas: 2, selector, template }, status: { replicas: 1 } },
      ["x", 2, 1, 0, "60s", "c,s", "nginx:2,side", "app=d"],
    ],
    [
      "replicationcontrollers",
      {
        spec: { replicas: 2, selector: { b: "2", a: "1" }, template },
        status: { replicas: 1, readyReplicas: 1 },
      },
      ["x", 2, 1, 1, "60s", "c,s", "nginx:2,side", "a=1,b=2"],
    ],
    [
      "daemonsets.apps",
      {
        spec: { selector, template },
        status: { desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1 },
      },
      ["x", 3, 2, 1, 0, 0, "a=b", "60s", "c,s", "nginx:2,side", "app=d"],
    ],
    [
      "statefulsets.apps",
      { spec: { replicas: 3, template }, status: { readyReplicas: 3 } },
      ["x", "3/3", "60s", "c,s", "nginx:2,side"],
    ],
    [
      "controllerrevisions.apps",
      {
        metadata: {
          ownerReferences: [
            { apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "1", controller: true },
          ],
        },
        revision: 7,
      },
      ["x", "daemonset.apps/d", 7, "60s"],
    ],
    [
      "poddisruptionbudgets.policy",
      { spec: { maxUnavailable: "25%" }, status: { disruptionsAllowed: 1 } },
      ["x", "N/A", "25%", 1, "60s"],
    ],
    ["scale.autoscaling", { spec: { replicas: 3 }, status: { replicas: 2 } }, ["x", 3, 2, "60s"]],
    [
      "resourcequotas",
      {
        status: {
          hard: { pods: "10", cpu: "4", "limits.cpu": "8" },
          used: { cpu: "1", "limits.cpu": "500m" },
        },
      },
      ["x", "cpu: 1/4, pods: 0/10", "limits.cpu: 500m/8", "60s"],
    ],
    [
      "persistentvolumes",
      {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteMany", "ReadWriteOnce", "ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Retain",
          claimRef: { namespace: "n", name: "c" },
          storageClassName: "fast",
          volumeMode: "Filesystem",
        },
        status: { phase: "Bound" },
      },
      ["x", "1Gi", "RWO,RWX", "Retain", "Bound", "n/c", "fast", "<unset>", "", "60s", "Filesystem"],
    ],
    [
      "persistentvolumeclaims",
      { spec: { resources: { requests: { storage: "1Gi" } } }, status: { phase: "Pending" } },
      ["x", "Pending", "", "", "", "", "<unset>", "60s", "<unset>"],
    ],
    [
      "persistentvolumeclaims",
      {
        metadata: {
          deletionTimestamp: ago(1),
          annotations: { "volume.beta.kubernetes.io/storage-class": "old" },
        },
        spec: { volumeName: "v", storageClassName: "new" },
        status: { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadWriteOncePod"] },
      },
      ["x", "Terminating", "v", "2Gi", "RWOP", "old", "<unset>", "60s", "<unset>"],
    ],
    [
      "rolebindings.rbac.authorization.k8s.io",
      {
        roleRef: { kind: "Role", name: "r", apiGroup: "" },
        subjects: [
          { kind: "User", name: "u1" },
          { kind: "User", name: "u2" },
          { kind: "Group", name: "g" },
          { kind: "ServiceAccount", namespace: "n", name: "s" },
        ],
      },
      ["x", "Role/r", "60s", "u1, u2", "g", "n/s"],
    ],
    [
      "configrevisions.driftless.dev",
      {
        number: 4,
        object: { apiVersion: "v1", kind: "ConfigMap", name: "app" },
        hash: "0123456789abcdef",
        author: "ann",
        changedAt: ago(5),
        summary: { added: ["a"], changed: ["b", "c"] },
      },
      ["x", 4, "configmap/app", "0123456789", "ann", "5s", "+1 ~2 -0"],
    ],
    [
      "configviews.driftless.dev",
      {
        pod: { name: "web-0" },
        node: "n1",
        uses: [
          {
            kind: "ConfigMap",
            name: "a",
            how: "volume",
            wanted: { hash: "1" },
            onDisk: { hash: "1" },
          },
          {
            kind: "ConfigMap",
            name: "a",
            how: "env",
            wanted: { hash: "1" },
            onDisk: { hash: "0" },
            drift: { reason: "EnvFrozen" },
          },
          {
            kind: "Secret",
            name: "b",
            how: "env",
            wanted: { hash: "2" },
            drift: { reason: "EnvFrozen" },
          },
        ],
      },
      ["x", "web-0", "1/3", "EnvFrozen", "60s", "n1"],
    ],
    [
      "deliverypolicies.driftless.dev",
      {
        spec: {
          selector,
          rollout: { steps: [{ pods: 1 }, { pods: "100%" }], paused: true },
          rollback: "Automatic",
          checks: [{ name: "c" }],
        },
        status: { step: 1, conditions: [{ type: "Ready", status: "False" }] },
      },
      ["x", "1/2", "True", "Automatic", "False", "60s", 1, "app=d"],
    ],
  ] as const) {
    test(`of ${kind} is ${expected.join(" ")}`, () => {
      assert.deepEqual(cells(kind, object as unknown as JsonObject), expected);
    });
  }

  test("of a node tells its state, roles and addresses", () => {
    const node = {
      metadata: {
        labels: {
          "node-role.kubernetes.io/worker": "",
          "kubernetes.io/role": "edge",
          "node-role.kubernetes.io/": "",
        },
      },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "False" }],
        addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
        nodeInfo: { kubeletVersion: "v1.36.0", kernelVersion: "6", architecture: "amd64" },
      },
    };
    assert.deepEqual(cells("nodes", node), [
      "x",
      "NotReady,SchedulingDisabled",
      "edge,worker",
      "60s",
      "v1.36.0",
      "10.0.0.1",
      "<none>",
      "<unknown>",
      "6 (amd64)",
      "<unknown>",
    ]);
    assert.deepEqual(cells("nodes", {}).slice(0, 3), ["x", "Unknown", "<none>"]);
  });

  test("of a pod ends with its addresses and gates", () => {
    const pod = {
      spec: {
        nodeName: "n1",
        containers: [{ name: "c" }],
        readinessGates: [{ conditionType: "A" }, { conditionType: "B" }],
      },
      status: {
        phase: "Running",
        podIPs: [{ ip: "10.0.0.5" }, { ip: "::1" }],
        conditions: [{ type: "A", status: "True" }],
      },
    };
    assert.deepEqual(cells("pods", pod), [
      "x",
      "0/1",
      "Running",
      "0",
      "60s",
      "10.0.0.5",
      "n1",
      "<none>",
      "1/2",
    ]);
    assert.deepEqual(cells("pods", {}).slice(5), ["<none>", "<none>", "<none>", "<none>"]);
  });

  test("of a job tells how far it is and how long it took", () => {
    const job = (spec: JsonObject, status: JsonObject, metadata: JsonObject = {}) =>
      cells("jobs.batch", { metadata, spec, status }).slice(1, 4);
    const complete = [{ type: "Complete", status: "True" }];
    assert.deepEqual(job({ completions: 2 }, {}), ["Running", "0/2", ""]);
    assert.deepEqual(job({ completions: 2 }, { succeeded: 1, startTime: ago(70) }), [
      "Running",
      "1/2",
      "70s",
    ]);
    assert.deepEqual(
      job(
        {},
        { succeeded: 1, conditions: complete, startTime: ago(600), completionTime: ago(400) },
      ),
      ["Complete", "1/1", "3m20s"],
    );
    assert.deepEqual(job({ parallelism: 3 }, {}), ["Running", "0/1 of 3", ""]);
    assert.equal(job({}, {}, { deletionTimestamp: ago(1) })[0], "Terminating");
    assert.equal(job({}, { conditions: complete }, { deletionTimestamp: ago(1) })[0], "Complete");
    for (const type of ["Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"]) {
      assert.equal(job({}, { conditions: [{ type, status: "True" }] })[0], type);
      assert.equal(job({}, { conditions: [{ type, status: "False" }] })[0], "Running");
    }
  });

  test("of a cron job tells when it ran last", () => {
    const spec = { schedule: "* * * * *", suspend: false, jobTemplate: { spec: { template } } };
    assert.deepEqual(
      cells("cronjobs.batch", { spec, status: { active: [{}], lastScheduleTime: ago(30) } }),
      ["x", "* * * * *", "<none>", "False", 1, "30s", "60s", "c,s", "nginx:2,side", "<none>"],
    );
    assert.deepEqual(
      cells("cronjobs.batch", { spec: { schedule: "", timeZone: "UTC" } }).slice(2, 6),
      ["UTC", "<unset>", 0, "<none>"],
    );
  });

  test("of a service tells how it is reached", () => {
    const external = (spec: JsonObject, ingress: JsonValue[] = []) =>
      cells("services", { spec, status: { loadBalancer: { ingress } } })[3];
    assert.equal(external({ type: "ClusterIP" }), "<none>");
    assert.equal(
      external({ type: "NodePort", externalIPs: ["1.1.1.1", "2.2.2.2"] }),
      "1.1.1.1,2.2.2.2",
    );
    assert.equal(external({ type: "LoadBalancer" }), "<pending>");
    assert.equal(
      external({ type: "LoadBalancer", externalIPs: ["9.9.9.9"] }, [
        { hostname: "b" },
        { ip: "3.3.3.3", hostname: "a" },
        { hostname: "b" },
      ]),
      "3.3.3.3,b,9.9.9.9",
    );
    assert.equal(external({ type: "ExternalName", externalName: "example.com" }), "example.com");
    assert.equal(external({}), "<unknown>");
    const spec = {
      type: "NodePort",
      clusterIPs: ["10.9.8.7"],
      selector: { app: "web" },
      ports: [
        { port: 80, protocol: "TCP" },
        { port: 443, nodePort: 30443, protocol: "TCP" },
      ],
    };
    assert.deepEqual(cells("services", { spec }), [
      "x",
      "NodePort",
      "10.9.8.7",
      "<none>",
      "80/TCP,443:30443/TCP",
      "60s",
      "app=web",
    ]);
  });

  test("of endpoints shows the first three addresses", () => {
    const shown = (subsets: JsonValue[]) => cells("endpoints", { subsets })[1];
    const addresses = ["1.2.3.4", "5.6.7.8", "::1", "6.6.6.6"].map((ip) => ({ ip }));
    assert.equal(shown([]), "<none>");
    assert.equal(shown([{ addresses: addresses.slice(0, 2) }]), "1.2.3.4,5.6.7.8");
    assert.equal(
      shown([{ addresses, ports: [{ port: 80 }] }]),
      "1.2.3.4:80,5.6.7.8:80,[::1]:80 + 1 more...",
    );
  });

  test("of an endpoint slice shows ports and addresses", () => {
    const slice = {
      addressType: "IPv4",
      ports: [{ port: 80 }, { name: "http" }, {}, { port: 4 }],
      endpoints: [{ addresses: ["1.1.1.1", "2.2.2.2"] }, { addresses: ["3.3.3.3"] }],
    };
    assert.deepEqual(cells("endpointslices.discovery.k8s.io", slice), [
      "x",
      "IPv4",
      "80,http,* + 1 more...",
      "1.1.1.1,2.2.2.2,3.3.3.3",
      "60s",
    ]);
    assert.deepEqual(cells("endpointslices.discovery.k8s.io", {}).slice(2, 4), [
      "<unset>",
      "<unset>",
    ]);
  });

  test("of an ingress shows the first three hosts", () => {
    const hosts = (...names: readonly string[]) =>
      cells("ingresses.networking.k8s.io", { spec: { rules: names.map((host) => ({ host })) } })[2];
    assert.equal(hosts(), "*");
    assert.equal(hosts(""), "*");
    assert.equal(hosts("a", "b", "c"), "a,b,c");
    assert.equal(hosts("a", "b", "c", "d", "e"), "a,b,c + 2 more...");
    const spec = { ingressClassName: "nginx", tls: [{}] };
    const status = { loadBalancer: { ingress: [{ ip: "2.2.2.2" }, { ip: "1.1.1.1" }] } };
    assert.deepEqual(cells("ingresses.networking.k8s.io", { spec, status }), [
      "x",
      "nginx",
      "*",
      "1.1.1.1,2.2.2.2",
      "80, 443",
      "60s",
    ]);
  });
});

describe("a row of an event", () => {
  const core = {
    type: "Normal",
    reason: "Pulled",
    involvedObject: { kind: "Pod", name: "pod1", fieldPath: "spec.containers{c}" },
    source: { component: "kubelet", host: "n1" },
    message: "  a message\n",
    firstTimestamp: ago(318 * 86400),
    lastTimestamp: ago(317 * 86400),
    count: 3,
  };
  const expected = [
    "317d",
    "Normal",
    "Pulled",
    "pod/pod1",
    "spec.containers{c}",
    "kubelet, n1",
    "a message",
    "318d",
    3,
    "x",
  ];

  test("is the same in both groups", () => {
    assert.deepEqual(cells("events", core), expected);
    const { involvedObject, source, message, firstTimestamp, lastTimestamp, count, ...rest } = core;
    const renamed = {
      ...rest,
      regarding: involvedObject,
      note: message,
      deprecatedSource: source,
      deprecatedFirstTimestamp: firstTimestamp,
      deprecatedLastTimestamp: lastTimestamp,
      deprecatedCount: count,
    };
    assert.deepEqual(cells("events.events.k8s.io", renamed), expected);
  });

  test("takes time, count and source from where the newer API has them", () => {
    const event = {
      involvedObject: { kind: "Node" },
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: "2026-01-01T23:59:00.000000Z",
      reportingComponent: "scheduler",
      reportingInstance: "s-0",
    };
    assert.deepEqual(cells("events", event), [
      "60s",
      "",
      "",
      "node",
      "",
      "scheduler, s-0",
      "",
      "60s",
      1,
      "x",
    ]);
    const series = { count: 9, lastObservedTime: "2026-01-01T23:59:50.000000Z" };
    const row = cells("events", { ...event, series });
    assert.deepEqual([row[0], row[7], row[8]], ["10s", "60s", 9]);
  });
});
