// For each invariant something that breaks it, written by hand in a controller's name: a promise that cannot be broken proves nothing.

import type { ApiObject } from "../../api/object.ts";
import { controllerReference } from "../../controller/owner.ts";
import type { SimCluster } from "../../controller/testing/sim-cluster.ts";
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  NODES,
  PODS,
  REPLICA_SETS,
  type StoredDeployment,
  type StoredReplicaSet,
} from "./invariant.ts";

const labels = { app: "a" };
const spec = { containers: [{ name: "c", image: "i:1" }], terminationGracePeriodSeconds: 5 };
const template = { metadata: { labels }, spec };
const selector = { matchLabels: labels };
const now = "2024-01-01T00:00:00Z";

function deployment(sim: SimCluster, more: object = {}): StoredDeployment {
  const spec = { replicas: 2, selector, template, ...more };
  return sim.create(DEPLOYMENTS, {
    metadata: { name: "d", namespace: "default" },
    spec,
  }) as unknown as StoredDeployment;
}

function replicaSet(
  sim: SimCluster,
  of: {
    readonly owner?: StoredDeployment;
    readonly name: string;
    readonly replicas: number;
    readonly revision?: string;
  },
): StoredReplicaSet {
  const hash = of.name.replace(/^d-/, "");
  const metadata = {
    name: of.name,
    namespace: "default",
    labels: { ...labels, "pod-template-hash": hash },
    annotations: { "deployment.kubernetes.io/revision": of.revision ?? "1" },
    ...(of.owner && { ownerReferences: [controllerReference(DEPLOYMENTS, of.owner)] }),
  };
  const spec = { replicas: of.replicas, selector, template };
  const by = of.owner === undefined ? "somebody" : "deployment";
  return sim.create(REPLICA_SETS, { metadata, spec }, by) as unknown as StoredReplicaSet;
}

interface PodOptions {
  readonly owner?: ApiObject;
  readonly ownerKind?: typeof PODS;
  readonly by?: string;
  readonly node?: string;
}

function pod(
  sim: SimCluster,
  { owner, ownerKind = REPLICA_SETS, by = "replicaSet", node }: PodOptions,
): string {
  const metadata = {
    generateName: "p-",
    namespace: "default",
    labels,
    ...(owner && { ownerReferences: [controllerReference(ownerKind, owner)] }),
  };
  const placed = node === undefined ? spec : { ...spec, nodeName: node };
  const made = sim.create(PODS, { metadata, spec: placed }, by) as unknown as ApiObject;
  return `default/${made.metadata.name}`;
}

function makeReady(sim: SimCluster, key: string): void {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: now }];
  sim.patchStatus(PODS, key, { status: { phase: "Running", conditions } }, "kubelet");
}

/** By the name of the invariant. Nodes "node-0" and "node-1" are there. */
export const PLANTED_FAULTS: Readonly<Record<string, (sim: SimCluster) => Promise<void> | void>> = {
  replicaSetLimit(sim) {
    const owner = replicaSet(sim, { name: "s", replicas: 1 });
    pod(sim, { owner });
    pod(sim, { owner });
  },
  deploymentLimit(sim) {
    const owner = deployment(sim, {
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    replicaSet(sim, { owner, name: "d-1", replicas: 2 });
    replicaSet(sim, { owner, name: "d-2", replicas: 2, revision: "2" });
  },
  async availability(sim) {
    const owner = deployment(sim, {
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    const set = replicaSet(sim, { owner, name: "d-1", replicas: 2 });
    const keys = [
      pod(sim, { owner: set, node: "node-0" }),
      pod(sim, { owner: set, node: "node-0" }),
    ];
    for (const key of keys) makeReady(sim, key);
    await sim.pass(10_000);
    sim.delete(PODS, keys[0] ?? "", { by: "replicaSet" });
  },
  oneController(sim) {
    const key = pod(sim, { owner: replicaSet(sim, { name: "s", replicas: 1 }) });
    const other = replicaSet(sim, { name: "t", replicas: 1 });
    sim.patch(PODS, key, {
      metadata: { ownerReferences: [controllerReference(REPLICA_SETS, other)] },
    });
  },
  garbageOnly(sim) {
    const key = pod(sim, { owner: replicaSet(sim, { name: "s", replicas: 1 }) });
    sim.delete(PODS, key, { by: "garbageCollector" });
  },
  async dependentsFirst(sim) {
    pod(sim, { owner: replicaSet(sim, { name: "s", replicas: 1 }) });
    await sim.pass(10_000);
    sim.delete(REPLICA_SETS, "default/s", { propagationPolicy: "Foreground" });
    sim.patch(REPLICA_SETS, "default/s", { metadata: { finalizers: null } }, "garbageCollector");
  },
  sameNames(sim) {
    const owner = deployment(sim);
    replicaSet(sim, { owner, name: "d-1", replicas: 0 });
    replicaSet(sim, { owner, name: "d-2", replicas: 0, revision: "2" });
  },
  growingRevisions(sim) {
    const owner = deployment(sim);
    replicaSet(sim, { owner, name: "d-1", replicas: 0, revision: "3" });
    const annotations = { "deployment.kubernetes.io/revision": "2" };
    sim.patch(REPLICA_SETS, "default/d-1", { metadata: { annotations } }, "deployment");
  },
  observedGenerations(sim) {
    deployment(sim);
    sim.patchStatus(DEPLOYMENTS, "default/d", { status: { observedGeneration: 2 } }, "deployment");
  },
  onePerNode(sim) {
    const metadata = { name: "ds", namespace: "default" };
    const owner = sim.create(DAEMON_SETS, {
      metadata,
      spec: { selector, template },
    }) as unknown as ApiObject;
    const options = { owner, ownerKind: DAEMON_SETS, by: "daemonSet", node: "node-0" };
    pod(sim, options);
    pod(sim, options);
  },
  async goodPlaces(sim) {
    sim.patch(NODES, "node-0", { spec: { unschedulable: true } });
    await sim.pass(10_000);
    const key = pod(sim, {});
    const name = key.replace("default/", "");
    await sim.clientOf("scheduler").request({
      method: "POST",
      path: `/api/v1/namespaces/default/pods/${name}/binding`,
      body: { metadata: { name }, target: { kind: "Node", name: "node-0" } },
    });
  },
  goodEvictions(sim) {
    const taints = [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute", timeAdded: now }];
    sim.patch(NODES, "node-0", { spec: { taints } });
    sim.delete(PODS, pod(sim, { node: "node-0" }), { by: "node" });
  },
  goodPodGarbage(sim) {
    const key = pod(sim, { node: "node-0" });
    sim.delete(PODS, key, { gracePeriodSeconds: 0, by: "podGarbageCollector" });
  },
};
