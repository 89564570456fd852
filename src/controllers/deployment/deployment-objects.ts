// The objects that a rollout is about, as the API serves them.

import type { ApiObject } from "../../api/object.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { servedKind } from "../pods/pod-object.ts";

export type DeploymentObject = Deployment & ApiObject;
export type ReplicaSetObject = ReplicaSet & ApiObject;

export const DEPLOYMENT: ResourceKind = servedKind("apps/v1", "Deployment");
export const REPLICA_SET: ResourceKind = servedKind("apps/v1", "ReplicaSet");
/** Tells the ReplicaSets of a Deployment and their pods apart. */
export const HASH_LABEL = "pod-template-hash";

/** The pods that the user asks for. */
export function desiredReplicas({ spec }: DeploymentObject): number {
  return spec.replicas ?? 1;
}

export function isRecreate({ spec }: DeploymentObject): boolean {
  return spec.strategy.type === "Recreate";
}
