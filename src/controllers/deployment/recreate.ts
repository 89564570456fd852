// Recreate: nothing new starts before everything old is gone.

import { hasEnded } from "../pods/pod-condition.ts";
import type { PodObject } from "../pods/pod-object.ts";
import type { ReplicaSetObject } from "./deployment-objects.ts";
import { activeOf, isObserved, type ReplicaSets, type Scaling, sum } from "./replica-sets.ts";

export function allOldToZero({ old }: ReplicaSets): readonly Scaling[] {
  return activeOf(old).map((replicaSet) => ({ replicaSet, replicas: 0 }));
}

/**
 * A pod that is being deleted runs until it is gone, though its ReplicaSet no longer counts it. A ReplicaSet that has not told of its
 * last size yet may be making pods that nobody has seen.
 */
export function areRunning(
  sets: readonly ReplicaSetObject[],
  podsOf: (set: ReplicaSetObject) => readonly PodObject[],
): boolean {
  return (
    !sets.every(isObserved) ||
    sum(sets, ({ status }) => status.replicas + (status.terminatingReplicas ?? 0)) > 0 ||
    sets.flatMap(podsOf).some((pod) => !hasEnded(pod))
  );
}
