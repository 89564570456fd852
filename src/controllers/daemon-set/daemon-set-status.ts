// What the status of a DaemonSet says of its nodes and pods.

import type { DaemonSetStatus } from "../../api/types.ts";
import { isAvailable, isReady } from "../pods/pod-condition.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { type DaemonSetObject, isUpdated, type NodeObject } from "./daemon-set-object.ts";
import type { Placement } from "./placement.ts";

export interface StatusFacts {
  readonly nodes: readonly NodeObject[];
  readonly byNode: ReadonlyMap<string, readonly PodObject[]>;
  readonly placement: (node: NodeObject) => Placement;
  readonly hash: string;
  readonly nowMs: number;
}

/** The first pod of a node, the oldest, stands for it. */
export function daemonSetStatus(
  set: DaemonSetObject,
  { nodes, byNode, placement, hash, nowMs }: StatusFacts,
): DaemonSetStatus {
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  const podOn = ({ metadata }: NodeObject): PodObject | undefined =>
    byNode.get(metadata.name ?? "")?.[0];
  const wanted = nodes.filter((node) => placement(node).shouldRun);
  const others = nodes.filter((node) => !placement(node).shouldRun);
  const pods = wanted.flatMap((node) => podOn(node) ?? []);
  const available = pods.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length;
  const { generation } = set.metadata;
  return {
    ...set.status,
    currentNumberScheduled: pods.length,
    numberMisscheduled: others.filter((node) => podOn(node) !== undefined).length,
    desiredNumberScheduled: wanted.length,
    numberReady: pods.filter(isReady).length,
    ...(generation !== undefined && { observedGeneration: generation }),
    updatedNumberScheduled: pods.filter((pod) => isUpdated(set, pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
  };
}
