// Which of the pods of a set are missed least when it has too many. Rules in turn, the first that tells two pods apart decides:
// those without a node, those that wait, those that are not ready, those whose annotation says that they are cheap, those with more
// of their kind on the same node, those that are ready for less time, those that restarted more, the newer ones.
//
// Times are compared by their order of magnitude only, and then by uid: among pods that are about equally old chance decides, so
// that scaling down does not take all pods of one failure domain that happened to start last.

import type { Pod } from "../../api/types.ts";
import { isReady, readySinceMs, timeMs } from "./pod-condition.ts";

export interface DeletionOrderOptions {
  /** How many pods of the same workload are on the node of this pod, itself included. */
  readonly rank: (pod: Pod) => number;
  readonly nowMs: number;
}

const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const MAX_INT32 = 2 ** 31 - 1;
const PHASES: ReadonlyMap<string, number> = new Map([
  ["Pending", 0],
  ["Unknown", 1],
  ["Running", 2],
]);

/** Those to delete first come first. */
export function inDeletionOrder<T extends Pod>(
  pods: readonly T[],
  options: DeletionOrderOptions,
): readonly T[] {
  return pods.toSorted((a, b) => compareForDeletion(a, b, options));
}

/** How many of `related` that are active share the node with a pod. */
export function rankByNode(related: readonly Pod[]): (pod: Pod) => number {
  const counts = new Map<string, number>();
  for (const { spec } of related) {
    const nodeName = spec.nodeName ?? "";
    counts.set(nodeName, (counts.get(nodeName) ?? 0) + 1);
  }
  return ({ spec }) => counts.get(spec.nodeName ?? "") ?? 0;
}

/** Negative if `a` goes before `b`. */
export function compareForDeletion(a: Pod, b: Pod, { rank, nowMs }: DeletionOrderOptions): number {
  const bothReady = isReady(a) && isReady(b);
  return (
    Number(isAssigned(a)) - Number(isAssigned(b)) ||
    phaseOf(a) - phaseOf(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    rank(b) - rank(a) ||
    (bothReady ? compareAges(a, b, { timeOf: readySinceMs, nowMs }) : 0) ||
    compareRestarts(a, b) ||
    compareAges(a, b, { timeOf: createdMs, nowMs })
  );
}

/** What the annotation says; 0 if it is missing or no 32-bit number in its plain form. */
export function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? "";
  if (!/^(0|-\d+|[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost > MAX_INT32 || cost < -MAX_INT32 - 1 ? 0 : cost;
}

function compareAges(
  a: Pod,
  b: Pod,
  by: { readonly timeOf: (pod: Pod) => number | undefined; readonly nowMs: number },
): number {
  const aMs = by.timeOf(a);
  const bMs = by.timeOf(b);
  if (aMs === bMs) return 0;
  // No time counts as later than any.
  if (aMs === undefined) return -1;
  if (bMs === undefined) return 1;
  return magnitude(by.nowMs - aMs) - magnitude(by.nowMs - bMs) || compareUids(a, b);
}

/** The binary order of an age, which is counted in nanoseconds. */
function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.floor(Math.log2(ageMs * 1e6)) : -1;
}

function compareUids(a: Pod, b: Pod): number {
  return (a.metadata.uid ?? "") < (b.metadata.uid ?? "") ? -1 : 1;
}

/** More restarts go first; sidecars count only where the main containers are equal. */
function compareRestarts(a: Pod, b: Pod): number {
  return (
    maxRestarts(b.status.containerStatuses) - maxRestarts(a.status.containerStatuses) ||
    sidecarRestarts(b) - sidecarRestarts(a)
  );
}

function sidecarRestarts({ spec, status }: Pod): number {
  const sidecars = new Set(
    spec.initContainers
      ?.filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  return maxRestarts(status.initContainerStatuses?.filter(({ name }) => sidecars.has(name)));
}

function maxRestarts(
  statuses: readonly { readonly restartCount: number }[] | null | undefined,
): number {
  return Math.max(0, ...(statuses ?? []).map(({ restartCount }) => restartCount));
}

function createdMs({ metadata }: Pod): number | undefined {
  return timeMs(metadata.creationTimestamp);
}

function phaseOf({ status }: Pod): number {
  return PHASES.get(status.phase ?? "") ?? 0;
}

function isAssigned({ spec }: Pod): boolean {
  return (spec.nodeName ?? "") !== "";
}
