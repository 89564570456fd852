// A promise that controllers keep: held against every write, and against the whole when everything has come to rest.

import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { labelSelectorOf } from "../../api/selectors/label-selector.ts";
import type { DaemonSet, Deployment, Node, Pod, ReplicaSet } from "../../api/types.ts";
import { controllerOf } from "../../controller/owner.ts";
import type { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { simKind } from "../../controller/testing/sim-kinds.ts";
import { isReady } from "../../controller/testing/sim-pod-status.ts";
import type { SimWrite } from "../../controller/testing/sim-store.ts";
import type { RecentCounts } from "./recent.ts";

export const PODS: Kind = simKind("v1", "Pod");
export const NODES: Kind = simKind("v1", "Node");
export const NAMESPACES: Kind = simKind("v1", "Namespace");
export const DEPLOYMENTS: Kind = simKind("apps/v1", "Deployment");
export const REPLICA_SETS: Kind = simKind("apps/v1", "ReplicaSet");
export const DAEMON_SETS: Kind = simKind("apps/v1", "DaemonSet");

export type StoredPod = Pod & ApiObject;
export type StoredNode = Node & ApiObject;
export type StoredDeployment = Deployment & ApiObject;
export type StoredReplicaSet = ReplicaSet & ApiObject;
export type StoredDaemonSet = DaemonSet & ApiObject;

export interface Facts {
  readonly sim: SimCluster;
  /** How old what a controller knows can be. */
  readonly windowMs: () => number;
  /** Creations whose answers were lost, by the uid of the controller: the same may be created again. */
  readonly lost: RecentCounts;
}

export interface Invariant {
  /** What is promised, as a sentence. */
  readonly promise: string;
  /** Throws BrokenPromise. */
  readonly see: (write: SimWrite) => void;
}

/** Hears only of writes of these kinds. */
export function byKind(
  handlers: Readonly<Record<string, (write: SimWrite) => void>>,
): Invariant["see"] {
  return (write) => handlers[write.kind.kind]?.(write);
}

export type NewInvariant = (facts: Facts) => Invariant;

export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
}

export function broken(
  promise: string,
  { by, kind, object }: SimWrite,
  why: string,
): BrokenPromise {
  const { namespace = "", name = "" } = object.metadata;
  return new BrokenPromise(`${promise}; but ${by} wrote ${kind.kind} ${namespace}/${name}: ${why}`);
}

/** It is there to work: neither over nor on its way out. */
export function isActive(pod: StoredPod): boolean {
  return pod.metadata.deletionTimestamp === undefined && !isOver(pod);
}

export function isOver({ status }: StoredPod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

export function isAvailable(pod: StoredPod): boolean {
  return isActive(pod) && isReady(pod);
}

export function ownedBy<T extends ApiObject>(objects: readonly T[], uid: string): T[] {
  return objects.filter((object) => controllerOf(object)?.uid === uid);
}

/** The uid of the controller that it has; "" if it has none. */
export function managerOf(object: ApiObject | undefined): string {
  return (object && controllerOf(object)?.uid) ?? "";
}

export function keyOf({ metadata }: ApiObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

export function uidOf({ metadata }: ApiObject): string {
  return metadata.uid ?? "";
}

export function isSelectedBy(set: { readonly spec: ReplicaSet["spec"] }, pod: ApiObject): boolean {
  return labelSelectorOf(set.spec.selector).matches(pod.metadata.labels);
}

/** How many pods a deployment may have above and below its number; a share is rounded up above and down below. */
export function limitsOf({ spec }: Deployment): {
  readonly surge: number;
  readonly unavailable: number;
} {
  const { replicas = 1, strategy } = spec;
  if (strategy?.type === "Recreate") return { surge: 0, unavailable: replicas };
  const { maxSurge = "25%", maxUnavailable = "25%" } = strategy?.rollingUpdate ?? {};
  const surge = Math.ceil(share(maxSurge, replicas));
  const unavailable = Math.floor(share(maxUnavailable, replicas));
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function share(value: number | string, of: number): number {
  return typeof value === "number" ? value : (Number.parseInt(value, 10) / 100) * of;
}
