import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import { ObjectCounts } from "./object-counts.ts";
import { ResourceQuota } from "./resource-quota.ts";
import {
  cacheOf,
  type KindName,
  put,
  type RequestOptions,
  refusalOf,
  requestFor,
  strategyNamed,
} from "./testing/requests.ts";

const podOf = (name: string, spec: JsonObject = {}, others: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
  ...others,
});
const serviceOf = (name: string, spec: JsonObject): JsonObject => ({
  metadata: { name },
  spec: {
    ports: [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ],
    ...spec,
  },
});
const limited = { resources: { requests: { cpu: "1" } } };

const caches: { readonly [kind: KindName]: KindCache } = {
  "v1 ConfigMap": cacheOf("v1 ConfigMap", { metadata: { name: "a" } }, { metadata: { name: "b" } }),
  "v1 Secret": cacheOf("v1 Secret", { metadata: { name: "a" } }),
  "apps/v1 Deployment": cacheOf("apps/v1 Deployment", { metadata: { name: "a" } }),
  "v1 Service": cacheOf(
    "v1 Service",
    serviceOf("a", { type: "NodePort" }),
    serviceOf("b", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }),
  ),
  "v1 PersistentVolumeClaim": cacheOf("v1 PersistentVolumeClaim", {
    metadata: { name: "a" },
    spec: { storageClassName: "gold" },
  }),
  "v1 Pod": cacheOf(
    "v1 Pod",
    podOf("runs"),
    podOf("ended", {}, { status: { phase: "Succeeded" } }),
    podOf("asks", { containers: [{ name: "c", image: "i", ...limited }] }),
    podOf("brief", { activeDeadlineSeconds: 5 }),
    podOf("high", { priorityClassName: "high" }),
  ),
};

function cacheFor(kind: KindName): KindCache {
  const cache = caches[kind];
  assert.ok(cache);
  return cache;
}

const counts = new ObjectCounts(
  Object.entries(caches).map(([name, cache]) => ({
    kind: strategyNamed(name as KindName).kind,
    cache,
  })),
);

const parts = {
  counts,
  pods: cacheFor("v1 Pod"),
  services: cacheFor("v1 Service"),
  persistentVolumeClaims: cacheFor("v1 PersistentVolumeClaim"),
};

function refusalWith(quota: JsonObject, kind: KindName, options: RequestOptions): string {
  const quotas = cacheOf("v1 ResourceQuota", { metadata: { name: "q" }, spec: quota });
  const plugin = new ResourceQuota({ ...parts, quotas });
  return refusalOf(plugin, requestFor(kind, options)).replace(
    /^.* is forbidden: exceeded quota: /,
    "",
  );
}

const object = { metadata: { name: "x" } };
const pod = podOf("x");

const cases: readonly (readonly [string, JsonObject, KindName, JsonObject, string])[] = [
  ["room for one more", { hard: { configmaps: "3" } }, "v1 ConfigMap", object, ""],
  [
    "an old name",
    { hard: { configmaps: "2" } },
    "v1 ConfigMap",
    object,
    "q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2",
  ],
  [
    "a new name",
    { hard: { "count/configmaps": "1" } },
    "v1 ConfigMap",
    object,
    "q, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=1",
  ],
  [
    "several names in order, and only those that are exceeded",
    { hard: { secrets: "1", "count/secrets": "1", configmaps: "0" } },
    "v1 Secret",
    object,
    "q, requested: count/secrets=1,secrets=1, used: count/secrets=1,secrets=1, limited: count/secrets=1,secrets=1",
  ],
  [
    "a kind of another group",
    { hard: { "count/deployments.apps": "1" } },
    "apps/v1 Deployment",
    object,
    "q, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1",
  ],
  ["a kind that it does not name", { hard: { configmaps: "0" } }, "v1 Secret", object, ""],
  [
    "large numbers as quotas write them",
    { hard: { configmaps: "1k" } },
    "v1 ConfigMap",
    object,
    "",
  ],
  [
    "pods that have not ended",
    { hard: { pods: "4" } },
    "v1 Pod",
    pod,
    "q, requested: pods=1, used: pods=4, limited: pods=4",
  ],
  ["pods that have not ended, with room", { hard: { pods: "5" } }, "v1 Pod", pod, ""],
  [
    "all pods",
    { hard: { "count/pods": "5" } },
    "v1 Pod",
    pod,
    "q, requested: count/pods=1, used: count/pods=5, limited: count/pods=5",
  ],
  [
    "ports of nodes, also those that are still to be given",
    { hard: { "services.nodeports": "3" } },
    "v1 Service",
    serviceOf("x", { type: "LoadBalancer" }),
    "q, requested: services.nodeports=2, used: services.nodeports=2, limited: services.nodeports=3",
  ],
  [
    "load balancers",
    { hard: { "services.loadbalancers": "1", services: "9" } },
    "v1 Service",
    serviceOf("x", { type: "LoadBalancer" }),
    "q, requested: services.loadbalancers=1, used: services.loadbalancers=1, limited: services.loadbalancers=1",
  ],
  [
    "services that need no ports of nodes",
    { hard: { "services.nodeports": "0" } },
    "v1 Service",
    serviceOf("x", { type: "ClusterIP" }),
    "",
  ],
  [
    "claims of a class",
    { hard: { "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1" } },
    "v1 PersistentVolumeClaim",
    { metadata: { name: "x" }, spec: { storageClassName: "gold" } },
    "q, requested: gold.storageclass.storage.k8s.io/persistentvolumeclaims=1, used: gold.storageclass.storage.k8s.io/persistentvolumeclaims=1, limited: gold.storageclass.storage.k8s.io/persistentvolumeclaims=1",
  ],
  [
    "pods with a deadline",
    { hard: { pods: "1" }, scopes: ["Terminating"] },
    "v1 Pod",
    podOf("x", { activeDeadlineSeconds: 1 }),
    "q, requested: pods=1, used: pods=1, limited: pods=1",
  ],
  [
    "pods outside of its scope",
    { hard: { pods: "0" }, scopes: ["Terminating"] },
    "v1 Pod",
    pod,
    "",
  ],
  [
    "pods that ask for nothing",
    { hard: { pods: "3" }, scopes: ["BestEffort"] },
    "v1 Pod",
    pod,
    "q, requested: pods=1, used: pods=3, limited: pods=3",
  ],
  [
    "pods of a priority",
    {
      hard: { pods: "1" },
      scopeSelector: {
        matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }],
      },
    },
    "v1 Pod",
    podOf("x", { priorityClassName: "high" }),
    "q, requested: pods=1, used: pods=1, limited: pods=1",
  ],
  [
    "pods that look into other namespaces, and no others",
    { hard: { pods: "0" }, scopes: ["CrossNamespacePodAffinity"] },
    "v1 Pod",
    podOf("x", {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", namespaces: ["m"] }],
        },
      },
    }),
    "q, requested: pods=1, used: pods=0, limited: pods=0",
  ],
  [
    "no other kinds if it has a scope",
    { hard: { configmaps: "0" }, scopes: ["Terminating"] },
    "v1 ConfigMap",
    object,
    "",
  ],
];

describe("ResourceQuota counts", () => {
  for (const [name, quota, kind, made, expected] of cases) {
    it(name, () => assert.equal(refusalWith(quota, kind, { object: made }), expected));
  }

  it("no change of an object twice", () => {
    const options = { operation: "UPDATE", object, old: object } as const;
    assert.equal(refusalWith({ hard: { configmaps: "0" } }, "v1 ConfigMap", options), "");
  });

  it("a service that becomes another type", () => {
    const options = {
      operation: "UPDATE",
      object: serviceOf("a", { type: "LoadBalancer" }),
      old: serviceOf("a", { type: "NodePort" }),
    } as const;
    const hard = { "services.loadbalancers": "1", "services.nodeports": "0" };
    assert.equal(
      refusalWith({ hard }, "v1 Service", options),
      "q, requested: services.loadbalancers=1, used: services.loadbalancers=1, limited: services.loadbalancers=1",
    );
  });

  it("no pods that should have ended by now", () => {
    const metadata = {
      name: "late",
      namespace: "m",
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 60,
    };
    put(cacheFor("v1 Pod"), "v1 Pod", { ...podOf("late"), metadata });
    const quotas = cacheOf("v1 ResourceQuota", {
      metadata: { name: "q", namespace: "m" },
      spec: { hard: { pods: "1" } },
    });
    const plugin = new ResourceQuota({ ...parts, quotas });
    const atMinute = (minute: string): string => {
      const nowMs = Date.parse(`2026-01-01T00:${minute}:00Z`);
      return refusalOf(plugin, requestFor("v1 Pod", { object: pod, namespace: "m", nowMs }));
    };
    assert.match(atMinute("01"), /used: pods=1/);
    assert.equal(atMinute("02"), "");
  });

  it("nothing in other namespaces", () => {
    const options = { object, namespace: "other" };
    assert.equal(refusalWith({ hard: { configmaps: "0" } }, "v1 ConfigMap", options), "");
  });
});
