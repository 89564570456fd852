// The history of a Deployment, kept in annotations of its ReplicaSets: each has the number of the rollout that last made it current.
// "rollout history" and "rollout undo" read nothing else.

import {
  type DeploymentObject,
  desiredReplicas,
  type ReplicaSetObject,
} from "./deployment-objects.ts";
import { maxSurge } from "./rollout-limits.ts";

export type Annotations = Readonly<Record<string, string>>;

export const REVISION = "deployment.kubernetes.io/revision";
const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
/** The Deployment's size when the ReplicaSet was last scaled: a difference says that the user has scaled since. */
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
/** The same with surge: what the ReplicaSet's share is reckoned from. */
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";

/** The Deployment's own: a ReplicaSet gets all others. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  "deprecated.deployment.rollback.to",
]);

/** About a hundred revisions; the oldest are forgotten. */
const MAX_HISTORY_LENGTH = 2000;
const MAX_INT32 = 2 ** 31 - 1;

/** 0 if it has none; undefined if it cannot be read. */
export function revisionOf({ metadata }: ReplicaSetObject): number | undefined {
  const text = metadata.annotations?.[REVISION];
  if (text === undefined) return 0;
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** The number of a rollout that makes another ReplicaSet than these the current one. */
export function nextRevision(old: readonly ReplicaSetObject[]): number {
  return 1 + Math.max(0, ...old.map((set) => revisionOf(set) ?? 0));
}

/** What the current ReplicaSet is to carry; the very annotations that it has if nothing is to change. */
export function currentAnnotations(
  deployment: DeploymentObject,
  current: ReplicaSetObject,
  revision: number,
): Annotations {
  const had = current.metadata.annotations ?? {};
  const held = revisionOf(current);
  // Somebody else's number: not ours to count on from.
  if (held === undefined) return had;
  const wanted = {
    ...had,
    ...copied(deployment),
    // After old ReplicaSets were deleted its number may be higher than theirs ask for: numbers never go back.
    ...(held < revision && { [REVISION]: String(revision) }),
    ...(held < revision && historyOf(had)),
  };
  const isChanged = Object.entries(wanted).some(([key, value]) => had[key] !== value);
  return isChanged ? wanted : had;
}

/** What every ReplicaSet gets when it is made or scaled. */
export function sizeAnnotations(deployment: DeploymentObject): Annotations {
  const desired = desiredReplicas(deployment);
  return {
    [DESIRED_REPLICAS]: String(desired),
    [MAX_REPLICAS]: String(desired + maxSurge(deployment)),
  };
}

/** The number in one of those, if it has one that makes sense. */
export function annotatedSize(
  { metadata }: ReplicaSetObject,
  key: typeof DESIRED_REPLICAS | typeof MAX_REPLICAS,
): number | undefined {
  const text = metadata.annotations?.[key] ?? "";
  if (!/^\d+$/.test(text)) return undefined;
  return Number(text) <= MAX_INT32 ? Number(text) : undefined;
}

function copied({ metadata }: DeploymentObject): Annotations {
  const all = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(all.filter(([key]) => !NOT_COPIED.has(key)));
}

/** It was current before under the number that it has: that goes to the end of the list. */
function historyOf(had: Annotations): Annotations {
  const last = had[REVISION];
  if (last === undefined) return {};
  const revisions = [...(had[REVISION_HISTORY] ?? "").split(",").filter(Boolean), last];
  while (revisions.length > 1 && revisions.join(",").length > MAX_HISTORY_LENGTH) revisions.shift();
  return { [REVISION_HISTORY]: revisions.join(",") };
}
