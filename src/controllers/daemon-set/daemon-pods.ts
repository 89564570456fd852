// The pods of a DaemonSet, by the node that they are on or meant for.

import { timeMs } from "../pods/pod-condition.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { targetNode } from "./daemon-pod.ts";

/** The oldest that have a node first. A pod of no node at all is left out. */
export function podsByNode(pods: readonly PodObject[]): ReadonlyMap<string, readonly PodObject[]> {
  const byNode = new Map<string, PodObject[]>();
  for (const pod of pods.toSorted(byAge)) {
    const nodeName = targetNode(pod);
    if (nodeName === undefined) continue;
    const others = byNode.get(nodeName);
    if (others === undefined) byNode.set(nodeName, [pod]);
    else others.push(pod);
  }
  return byNode;
}

function byAge(a: PodObject, b: PodObject): number {
  const isBound = ({ spec }: PodObject): boolean => (spec.nodeName ?? "") !== "";
  const createdMs = ({ metadata }: PodObject): number => timeMs(metadata.creationTimestamp) ?? 0;
  return (
    Number(isBound(b)) - Number(isBound(a)) ||
    createdMs(a) - createdMs(b) ||
    ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1)
  );
}
