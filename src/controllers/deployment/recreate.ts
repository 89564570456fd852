// Recreate: nothing new starts before everything old is gone.

import { hasEnded } from "../pods/pod-condition.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { activeOf, type ReplicaSets, type Scaling, sum } from "./replica-sets.ts";

export function allOldToZero({ old }: ReplicaSets): readonly Scaling[] {
  return activeOf(old).map((replicaSet) => ({ replicaSet, replicas: 0 }));
}

/** A pod that is being deleted runs until it is gone, though its ReplicaSet no longer counts it. */
export function isOldRunning({ old }: ReplicaSets, oldPods: readonly PodObject[]): boolean {
  return sum(old, ({ status }) => status.replicas) > 0 || oldPods.some((pod) => !hasEnded(pod));
}
