// When a pod has to leave a node whose taints drive it out: the first of the times for which it tolerates each of them.
//
// The time begins when the taint was added, so that a controller that starts anew does not begin to count anew. What it finds overdue
// at its start gets a little more: the node may just be coming back as well.

import type { Taint, Toleration } from "../../api/types.ts";
import { timeMs } from "../pods/pod-condition.ts";
import { tolerates } from "../scheduler/taints.ts";
import { GRACE_MS } from "./node-health.ts";

/** When a taint began to count for a pod, and when we first saw that, by our own clock. */
export interface Exposure {
  readonly beganMs: number;
  readonly seenMs: number;
}

export function drivingTaints(taints: readonly Taint[] | null | undefined): readonly Taint[] {
  return taints?.filter(({ effect }) => effect === "NoExecute") ?? [];
}

/** Only here a clock that may be wrong is looked at: later it does not matter that somebody sets it. */
export function exposureTo(
  { timeAdded }: Taint,
  now: { readonly wallMs: number; readonly monotonicMs: number },
): Exposure {
  const { wallMs, monotonicMs: seenMs } = now;
  const ageMs = Math.max(0, wallMs - (timeMs(timeAdded) ?? wallMs));
  return { beganMs: seenMs - ageMs, seenMs };
}

/** By our own clock; Infinity: it may stay. */
export function evictionTime(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  exposureOf: (taint: Taint) => Exposure,
): number {
  const times = taints.map((taint) => {
    const toleration = tolerations.find((one) => tolerates(one, taint));
    const forMs = toleration === undefined ? 0 : toleratedMs(toleration);
    if (forMs === 0) return Number.NEGATIVE_INFINITY;
    const { beganMs, seenMs } = exposureOf(taint);
    return Math.max(beganMs + forMs, seenMs + Math.min(forMs, GRACE_MS));
  });
  return Math.min(Number.POSITIVE_INFINITY, ...times);
}

function toleratedMs({ tolerationSeconds }: Toleration): number {
  if (tolerationSeconds === undefined || tolerationSeconds === null)
    return Number.POSITIVE_INFINITY;
  return Math.max(0, 1000 * tolerationSeconds);
}
