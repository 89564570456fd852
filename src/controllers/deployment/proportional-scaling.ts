// The user has changed the number of pods in the middle of a rollout, or while it is paused. Every ReplicaSet gets its share of the
// difference: if all of it went to the current one, scaling up would spread a version that has not proven itself yet.

import {
  type DeploymentObject,
  desiredReplicas,
  type ReplicaSetObject,
} from "./deployment-objects.ts";
import {
  activeOf,
  allOf,
  byAge,
  isObserved,
  type ReplicaSets,
  type Scaling,
  sizeOf,
  totalSize,
} from "./replica-sets.ts";
import { annotatedSize, DESIRED_REPLICAS, MAX_REPLICAS } from "./revisions.ts";
import { maxSurge } from "./rollout-limits.ts";

/** A ReplicaSet with pods was last scaled for another size of the Deployment. */
export function isScaled(deployment: DeploymentObject, sets: ReplicaSets): boolean {
  const desired = desiredReplicas(deployment);
  return activeOf(allOf(sets)).some(
    (set) => (annotatedSize(set, DESIRED_REPLICAS) ?? desired) !== desired,
  );
}

/** What each ReplicaSet is to have. Those that keep their size are named too: their annotations may be out of date. */
export function scaledSizes(deployment: DeploymentObject, sets: ReplicaSets): readonly Scaling[] {
  const desired = desiredReplicas(deployment);
  const active = activeOf(allOf(sets));
  const only = active.length > 1 ? undefined : (active[0] ?? sets.current ?? sets.old.at(-1));
  if (only !== undefined) return [{ replicaSet: only, replicas: desired }];
  if (isSaturated(deployment, sets.current)) {
    return activeOf(sets.old).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  }
  if (deployment.spec.strategy.type !== "RollingUpdate") return [];
  return shares(deployment, active);
}

/** It has all the pods, and all of them work. */
function isSaturated(
  deployment: DeploymentObject,
  current: ReplicaSetObject | undefined,
): current is ReplicaSetObject {
  if (current === undefined) return false;
  const desired = desiredReplicas(deployment);
  return (
    isObserved(current) &&
    sizeOf(current) === desired &&
    annotatedSize(current, DESIRED_REPLICAS) === desired &&
    (current.status.availableReplicas ?? 0) === desired
  );
}

function shares(
  deployment: DeploymentObject,
  active: readonly ReplicaSetObject[],
): readonly Scaling[] {
  const desired = desiredReplicas(deployment);
  const allowed = desired === 0 ? 0 : desired + maxSurge(deployment);
  const toAdd = allowed - totalSize(active);
  let left = toAdd;
  const sizes = new Map<ReplicaSetObject, number>();
  // The largest comes first and gets what rounding leaves over. Of equals the newest grows first, and the oldest shrinks first.
  const largestFirst = active.toSorted(
    (a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)),
  );
  for (const set of largestFirst) {
    const exact = share(deployment, set);
    // Annotations may lie, as on sets that were adopted: when all shrink none grows, and the other way round.
    const added = toAdd > 0 ? clamp(exact, 0, left) : clamp(exact, left, 0);
    sizes.set(set, sizeOf(set) + (left === 0 ? 0 : added));
    if (left !== 0) left -= added;
  }
  const [largest] = largestFirst;
  return largestFirst.map((replicaSet) => {
    const size = sizes.get(replicaSet) ?? 0;
    return { replicaSet, replicas: replicaSet === largest ? Math.max(0, size + left) : size };
  });
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

/** By how much it would grow if it kept its part of the whole. */
function share(deployment: DeploymentObject, set: ReplicaSetObject): number {
  const desired = desiredReplicas(deployment);
  const size = sizeOf(set);
  if (desired === 0) return -size;
  // Without the annotation (somebody took it away) what is there now is the best guess.
  const before = annotatedSize(set, MAX_REPLICAS) || (deployment.status.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (desired + maxSurge(deployment))) / before) - size;
}
