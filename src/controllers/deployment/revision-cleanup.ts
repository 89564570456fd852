// Which old ReplicaSets nobody will go back to.

import type { DeploymentObject, ReplicaSetObject } from "./deployment-objects.ts";
import { byAge, isObserved, sizeOf } from "./replica-sets.ts";
import { revisionOf } from "./revisions.ts";

/** The largest number is how users say "all". */
const NO_LIMIT = 2 ** 31 - 1;

/** The oldest revisions beyond the limit. Not those that have pods, or may get some: they count, but they stay. */
export function forgottenSets(
  { spec }: DeploymentObject,
  old: readonly ReplicaSetObject[],
): readonly ReplicaSetObject[] {
  const { revisionHistoryLimit: limit } = spec;
  if (limit === undefined || limit === NO_LIMIT || old.length <= limit) return [];
  return old
    .toSorted(byRevision)
    .slice(0, old.length - limit)
    .filter(isEmpty);
}

function byRevision(a: ReplicaSetObject, b: ReplicaSetObject): number {
  return (revisionOf(a) ?? 0) - (revisionOf(b) ?? 0) || byAge(a, b);
}

function isEmpty(set: ReplicaSetObject): boolean {
  return sizeOf(set) === 0 && set.status.replicas === 0 && isObserved(set);
}
