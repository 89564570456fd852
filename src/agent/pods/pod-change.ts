// What an update of a pod means for its node. Its own reports come back as updates too: they must not set off anything.

import type { JsonValue } from "../../api/json.ts";
import { jsonEqual } from "../../api/patch/json-equal.ts";
import type { ObjectMeta, Pod } from "../../api/types.ts";

export type PodChange =
  /** It shall stop, or stop faster. */
  | "delete"
  | "update"
  /** Nothing but its status, or what nodes do not look at. */
  | "reconcile";

export function podChange(old: Pod, pod: Pod): PodChange {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (
    deletionTimestamp !== undefined &&
    (deletionTimestamp !== old.metadata.deletionTimestamp ||
      deletionGracePeriodSeconds !== old.metadata.deletionGracePeriodSeconds)
  ) {
    return "delete";
  }
  const isSame =
    isEqual(old.spec, pod.spec) &&
    isEqual(old.metadata.labels ?? {}, pod.metadata.labels ?? {}) &&
    isEqual(annotationsOf(old.metadata), annotationsOf(pod.metadata));
  return isSame ? "reconcile" : "update";
}

function isEqual(a: JsonValue, b: JsonValue): boolean {
  return a === b || jsonEqual(a, b);
}

/** Those that the agent itself writes mean nothing. */
function annotationsOf({ annotations }: ObjectMeta): Record<string, string> {
  const {
    "kubernetes.io/config.source": _source,
    "kubernetes.io/config.seen": _seen,
    "kubernetes.io/config.hash": _hash,
    ...rest
  } = annotations ?? {};
  return rest;
}
