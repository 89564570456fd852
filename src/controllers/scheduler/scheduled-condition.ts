// The condition that says why a pod has no node.

import { apiTime } from "../../api/api-time.ts";
import type { PodCondition } from "../../api/types.ts";
import type { SchedulablePod } from "./pod-info.ts";

export interface Unscheduled {
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
}

/** A strategic merge patch of the status; undefined if it says so already. */
export function unscheduledPatch(
  pod: SchedulablePod,
  { reason, message }: Unscheduled,
  nowMs: number,
): object | undefined {
  const { uid, generation } = pod.metadata;
  const held = pod.status.conditions?.find(({ type }) => type === "PodScheduled");
  const isFalse = held?.status === "False";
  if (isFalse && held.reason === reason && held.message === message) return undefined;
  const condition: PodCondition = {
    type: "PodScheduled",
    ...(generation !== undefined && { observedGeneration: generation }),
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: (isFalse && held.lastTransitionTime) || apiTime(nowMs),
    reason,
    message,
  };
  // With the uid, so that it is never said of another pod of that name.
  return { metadata: { uid }, status: { conditions: [condition] } };
}
