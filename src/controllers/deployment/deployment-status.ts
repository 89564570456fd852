// What a Deployment's status says of the pods, added up from what its ReplicaSets say of theirs.

import type { DeploymentStatus } from "../../api/types.ts";
import { conditionAt, withCondition } from "./deployment-conditions.ts";
import {
  type DeploymentObject,
  desiredReplicas,
  type ReplicaSetObject,
} from "./deployment-objects.ts";
import { allOf, type ReplicaSets, sum, totalSize } from "./replica-sets.ts";
import { minAvailable } from "./rollout-limits.ts";

export function observedStatus(
  deployment: DeploymentObject,
  sets: ReplicaSets,
  nowMs: number,
): DeploymentStatus {
  const all = allOf(sets);
  const { metadata, status } = deployment;
  const available = sum(all, (set) => set.status.availableReplicas);
  const isAvailable = available >= minAvailable(deployment);
  const finding = conditionAt(isAvailable ? AVAILABLE : UNAVAILABLE, nowMs);
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: sum(all, (set) => set.status.replicas),
    updatedReplicas: sets.current?.status.replicas ?? 0,
    readyReplicas: sum(all, (set) => set.status.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalSize(all) - available),
    terminatingReplicas: terminating(all),
    conditions: withCondition(status.conditions ?? [], finding),
    collisionCount: status.collisionCount,
  };
}

/** All pods are there, are of the current template and are available, and no others run. */
export function isComplete(deployment: DeploymentObject, status: DeploymentStatus): boolean {
  const desired = desiredReplicas(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status;
  return (
    updatedReplicas === desired &&
    replicas === desired &&
    availableReplicas === desired &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Nothing if one of them does not say: a sum without it would be too low. */
function terminating(sets: readonly ReplicaSetObject[]): number | undefined {
  const seen = sets.filter(
    ({ status }) =>
      (status.observedGeneration ?? 0) > 0 || status.terminatingReplicas !== undefined,
  );
  if (seen.some(({ status }) => status.terminatingReplicas === undefined)) return undefined;
  return sum(seen, ({ status }) => status.terminatingReplicas);
}

const AVAILABLE = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
} as const;

const UNAVAILABLE = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
} as const;
