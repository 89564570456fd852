// What is promised when nobody changes anything any more and all nodes are well: everything is as wanted.

import type { DeploymentCondition } from "../../api/types.ts";
import { controllerOf } from "../../controller/owner.ts";
import type { SimCluster } from "../../controller/testing/sim-cluster.ts";
import {
  BrokenPromise,
  DAEMON_SETS,
  DEPLOYMENTS,
  isActive,
  isAvailable,
  NODES,
  ownedBy,
  PODS,
  REPLICA_SETS,
  type StoredDaemonSet,
  type StoredDeployment,
  type StoredNode,
  type StoredPod,
  type StoredReplicaSet,
} from "./invariant.ts";
import { ownerIn } from "./ownership.ts";
import { revisionOf } from "./rollouts.ts";

/** All that is not as wanted, as sentences. */
export function unrest(sim: SimCluster): string[] {
  return [
    ...sim.list<StoredDeployment>(DEPLOYMENTS).flatMap((one) => ofDeployment(sim, one)),
    ...sim.list<StoredReplicaSet>(REPLICA_SETS).flatMap((one) => ofReplicaSet(sim, one)),
    ...sim.list<StoredDaemonSet>(DAEMON_SETS).flatMap((one) => ofDaemonSet(sim, one)),
    ...sim.list<StoredPod>(PODS).flatMap((one) => ofPod(sim, one)),
  ];
}

/** Throws BrokenPromise. */
export function checkRest(sim: SimCluster): void {
  const found = unrest(sim);
  if (found.length === 0) return;
  throw new BrokenPromise(`when everything rests, all is as wanted; but ${found.join("; ")}`);
}

/** Pairs of a name, what is there and what should be. */
function differences(
  what: string,
  pairs: readonly (readonly [string, unknown, unknown])[],
): string[] {
  return pairs
    .filter(([, is, wanted]) => is !== wanted)
    .map(([name, is, wanted]) => `${what} has ${name} ${String(is)}, not ${String(wanted)}`);
}

function ofDeployment(sim: SimCluster, deployment: StoredDeployment): string[] {
  const { metadata, spec, status } = deployment;
  const what = `Deployment ${metadata.namespace}/${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) return [`${what} is still there`];
  const { replicas = 1, revisionHistoryLimit = 10 } = spec;
  const sets = ownedBy(sim.list<StoredReplicaSet>(REPLICA_SETS), metadata.uid ?? "");
  const newest = Math.max(0, ...sets.map(revisionOf));
  const current = sets.filter((set) => revisionOf(set) === newest);
  const old = sets.filter((set) => revisionOf(set) !== newest);
  return differences(what, [
    ["observedGeneration", status.observedGeneration ?? 0, metadata.generation],
    ["replicas", status.replicas ?? 0, replicas],
    ["updatedReplicas", status.updatedReplicas ?? 0, replicas],
    ["availableReplicas", status.availableReplicas ?? 0, replicas],
    ["unavailableReplicas", status.unavailableReplicas ?? 0, 0],
    ["revision", revisionOf(deployment), newest],
    ["newest ReplicaSets", current.length, 1],
    ["replicas of the newest", current[0]?.spec.replicas ?? 1, replicas],
    ["replicas of old ones", old.reduce((sum, set) => sum + (set.spec.replicas ?? 1), 0), 0],
    ["old ones beyond its limit", Math.max(0, old.length - revisionHistoryLimit), 0],
    ["Available", conditionOf(status.conditions, "Available"), "True/MinimumReplicasAvailable"],
    ["Progressing", conditionOf(status.conditions, "Progressing"), "True/NewReplicaSetAvailable"],
  ]);
}

function conditionOf(conditions: readonly DeploymentCondition[] | undefined, type: string): string {
  const found = conditions?.find((condition) => condition.type === type);
  return `${found?.status}/${found?.reason}`;
}

function ofReplicaSet(sim: SimCluster, { metadata, spec, status }: StoredReplicaSet): string[] {
  const what = `ReplicaSet ${metadata.namespace}/${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) return [`${what} is still there`];
  const { replicas = 1 } = spec;
  const pods = ownedBy(sim.list<StoredPod>(PODS), metadata.uid ?? "");
  return differences(what, [
    ["observedGeneration", status.observedGeneration ?? 0, metadata.generation],
    ["pods", pods.filter(isActive).length, replicas],
    ["available pods", pods.filter(isAvailable).length, replicas],
    ["status.replicas", status.replicas, replicas],
    ["status.readyReplicas", status.readyReplicas ?? 0, replicas],
    ["status.availableReplicas", status.availableReplicas ?? 0, replicas],
  ]);
}

function ofDaemonSet(sim: SimCluster, { metadata, status }: StoredDaemonSet): string[] {
  const what = `DaemonSet ${metadata.namespace}/${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) return [`${what} is still there`];
  const nodes = sim.list<StoredNode>(NODES);
  const pods = ownedBy(sim.list<StoredPod>(PODS), metadata.uid ?? "");
  const missing = nodes.filter(
    (node) =>
      pods.filter((pod) => isAvailable(pod) && pod.spec.nodeName === node.metadata.name).length !==
      1,
  );
  return differences(what, [
    ["observedGeneration", status.observedGeneration ?? 0, metadata.generation],
    ["nodes without exactly one pod", missing.map((node) => node.metadata.name).join(" "), ""],
    ["desiredNumberScheduled", status.desiredNumberScheduled, nodes.length],
    ["currentNumberScheduled", status.currentNumberScheduled, nodes.length],
    ["numberMisscheduled", status.numberMisscheduled, 0],
    ["numberReady", status.numberReady, nodes.length],
    ["updatedNumberScheduled", status.updatedNumberScheduled ?? 0, nodes.length],
    ["numberAvailable", status.numberAvailable ?? 0, nodes.length],
  ]);
}

function ofPod(sim: SimCluster, pod: StoredPod): string[] {
  const { metadata, spec } = pod;
  const what = `Pod ${metadata.namespace}/${metadata.name}`;
  const owner = controllerOf(pod);
  const hasOwner = owner === undefined || ownerIn(sim, owner, metadata.namespace) !== undefined;
  const node = spec.nodeName ?? "";
  return [
    ...(hasOwner ? [] : [`${what} belongs to ${owner.kind} ${owner.name}, which is gone`]),
    ...(node === "" && isActive(pod) ? [`${what} is on no node`] : []),
    ...(node !== "" && sim.get(NODES, node) === undefined
      ? [`${what} is on ${node}, which is gone`]
      : []),
    ...(metadata.deletionTimestamp === undefined ? [] : [`${what} is still going`]),
  ];
}
