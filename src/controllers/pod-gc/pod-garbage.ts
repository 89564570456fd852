// Which pods are garbage: nobody will ever end them, or nobody will look at them again.

import type { ApiObject } from "../../api/object.ts";
import type { Node, Pod } from "../../api/types.ts";

export type StoredPod = Pod & ApiObject;
export type StoredNode = Node & ApiObject;

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** Ended pods above the number that may stay: evicted ones first, then the oldest. */
export function endedAbove(pods: readonly StoredPod[], threshold: number): readonly StoredPod[] {
  if (threshold <= 0) return [];
  const ended = pods.filter(hasEnded);
  return ended.length <= threshold
    ? []
    : ended.sort(compareAges).slice(0, ended.length - threshold);
}

/** On their way out, on nodes of which somebody has said that they will not come back. */
export function leftOnDeadNodes(
  pods: readonly StoredPod[],
  nodeOf: (name: string) => StoredNode | undefined,
): readonly StoredPod[] {
  return pods
    .filter(({ metadata, spec }) => {
      if (metadata.deletionTimestamp == null) return false;
      const node = nodeOf(spec.nodeName ?? "");
      return node !== undefined && !isReady(node) && isOutOfService(node);
    })
    .sort(compareAges);
}

/** On their way out before they ever came to a node. */
export function neverScheduled(pods: readonly StoredPod[]): readonly StoredPod[] {
  return pods.filter(
    ({ metadata, spec }) => metadata.deletionTimestamp != null && (spec.nodeName ?? "") === "",
  );
}

/** Names of nodes that pods are bound to and that are not there. */
export function missingNodes(
  pods: readonly StoredPod[],
  nodeOf: (name: string) => StoredNode | undefined,
): ReadonlySet<string> {
  const names = new Set(pods.map(({ spec }) => spec.nodeName ?? ""));
  return new Set([...names].filter((name) => name !== "" && nodeOf(name) === undefined));
}

function hasEnded({ status: { phase } }: StoredPod): boolean {
  return phase !== "Pending" && phase !== "Running" && phase !== "Unknown";
}

function isReady({ status }: StoredNode): boolean {
  return (status.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True");
}

function isOutOfService({ spec }: StoredNode): boolean {
  return (spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);
}

function compareAges(a: StoredPod, b: StoredPod): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  const { creationTimestamp: made = "", name = "" } = a.metadata;
  const { creationTimestamp: otherMade = "", name: otherName = "" } = b.metadata;
  if (made !== otherMade) return made < otherMade ? -1 : 1;
  return name < otherName ? -1 : 1;
}

function isEvicted({ status }: StoredPod): boolean {
  return status.phase === "Failed" && status.reason === "Evicted";
}
