// One step of a rolling update: more pods of the current template while there is room above, fewer of the old ones while enough are
// available. Pods that do not work make room first, so that a broken old version cannot hold up its own repair.

import type { ReplicaSetObject } from "./deployment-objects.ts";
import { type DeploymentObject, desiredReplicas, isRecreate } from "./deployment-objects.ts";
import {
  activeOf,
  allOf,
  isObserved,
  type ReplicaSets,
  type Scaling,
  sizeOf,
  sum,
  totalSize,
} from "./replica-sets.ts";
import { maxSurge, minAvailable } from "./rollout-limits.ts";

/** How many pods the current ReplicaSet, there or still to be made, is to have now. */
export function nextCurrentSize(deployment: DeploymentObject, sets: ReplicaSets): number {
  const desired = desiredReplicas(deployment);
  const size = sets.current === undefined ? 0 : sizeOf(sets.current);
  if (size >= desired || isRecreate(deployment)) return desired;
  const room = desired + maxSurge(deployment) - totalSize(allOf(sets));
  return size + Math.max(0, Math.min(room, desired - size));
}

/** The old ReplicaSets that can do with fewer pods now. */
export function nextOldSizes(
  deployment: DeploymentObject,
  current: ReplicaSetObject,
  old: readonly ReplicaSetObject[],
): readonly Scaling[] {
  const active = activeOf(old);
  // One that shrank and grew again (a rollout that was undone) may not have told of the pods that this cost.
  if (![...active, current].every(isObserved)) return [];
  const promised = minAvailable(deployment);
  // New pods that are not available yet do not allow an old one to go.
  let removable =
    totalSize([...active, current]) - promised - (sizeOf(current) - availableOf(current));
  if (removable <= 0) return [];
  let spare = sum([...active, current], availableOf) - promised;
  const sizes = new Map(active.map((set) => [set, sizeOf(set)]));
  for (const set of active) {
    const broken = Math.min(removable, sizeOf(set) - availableOf(set));
    removable -= broken;
    sizes.set(set, sizeOf(set) - broken);
  }
  for (const [set, size] of sizes) {
    const spared = Math.min(size, Math.max(0, spare));
    spare -= spared;
    sizes.set(set, size - spared);
  }
  return Array.from(sizes, ([replicaSet, replicas]) => ({ replicaSet, replicas })).filter(
    ({ replicaSet, replicas }) => replicas !== sizeOf(replicaSet),
  );
}

/**
 * The pods that can be counted on. A ReplicaSet that was made smaller reports the pods that it had until it has deleted them: counting
 * those would take away others that are promised.
 */
function availableOf(set: ReplicaSetObject): number {
  return Math.min(sizeOf(set), set.status.availableReplicas ?? 0);
}
