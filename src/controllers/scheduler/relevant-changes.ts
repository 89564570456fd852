// What of a change matters to a scheduler. Most changes do not: heartbeats of nodes and reports of kubelets come all the time, and
// must not make it look at every pod that has no node.

import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { SchedulableNode } from "./node-info.ts";
import type { Blocker } from "./place-pod.ts";
import type { SchedulablePod } from "./pod-info.ts";
import { podRequests } from "./pod-resources.ts";

const SCHEDULER_NAME = "default-scheduler";

/** A pod on a node is no more. */
export const POD_GONE: readonly Blocker[] = ["ports", "resources", "spread", "podAffinity"];
/** A pod is on a node that was not there before. */
export const POD_PLACED: readonly Blocker[] = ["spread", "podAffinity"];
export const NODE_GONE: readonly Blocker[] = ["spread"];
export const NAMESPACE_CHANGED: readonly Blocker[] = ["podAffinity"];

export function nodeOf({ spec }: SchedulablePod): string {
  return spec.nodeName ?? "";
}

/** It has run to its end, and takes up nothing any more. */
export function isOver({ status }: SchedulablePod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

/** It is this scheduler's to place, now. */
export function isToPlace(pod: SchedulablePod): boolean {
  const { schedulerName, schedulingGates } = pod.spec;
  const isOurs = (schedulerName || SCHEDULER_NAME) === SCHEDULER_NAME;
  return isOurs && nodeOf(pod) === "" && !isOver(pod) && (schedulingGates ?? []).length === 0;
}

/** The scheduler has to look at it anew: what it asks for, how others see it, or that it is going. */
export function hasChanged(old: SchedulablePod, pod: SchedulablePod): boolean {
  return (
    !semanticEqual(old.spec, pod.spec) ||
    !semanticEqual(old.metadata.labels, pod.metadata.labels) ||
    (old.metadata.deletionTimestamp == null) !== (pod.metadata.deletionTimestamp == null)
  );
}

/** What a change of a pod that is on a node may make possible for others. */
export function changesOfPod(old: SchedulablePod, pod: SchedulablePod): readonly Blocker[] {
  const changed = new Set<Blocker>();
  if (!semanticEqual(old.metadata.labels, pod.metadata.labels)) {
    changed.add("spread").add("podAffinity");
  }
  if (old.metadata.deletionTimestamp == null && pod.metadata.deletionTimestamp != null) {
    changed.add("spread");
  }
  const after = podRequests(pod.spec);
  for (const [name, amount] of podRequests(old.spec)) {
    if ((after.get(name) ?? 0) < amount) changed.add("resources");
  }
  return [...changed];
}

/** What a change of a node may make possible. */
export function changesOfNode(old: SchedulableNode, node: SchedulableNode): readonly Blocker[] {
  const changed = new Set<Blocker>();
  if (!semanticEqual(old.metadata.labels, node.metadata.labels)) {
    changed.add("nodeAffinity").add("spread").add("podAffinity");
  }
  if (!semanticEqual(old.spec.taints, node.spec.taints)) changed.add("taints").add("spread");
  if (old.spec.unschedulable !== node.spec.unschedulable) changed.add("unschedulable");
  if (!semanticEqual(old.status.allocatable, node.status.allocatable)) changed.add("resources");
  return [...changed];
}
