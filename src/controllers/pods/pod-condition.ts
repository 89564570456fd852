// What a pod's status says: whether it is ready, since when, and whether for long enough to count.

import type { Pod, PodCondition } from "../../api/types.ts";

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** When it became ready, in milliseconds since the epoch; undefined if it is not, or the status does not say. */
export function readySinceMs(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  return condition?.status === "True" ? timeMs(condition.lastTransitionTime) : undefined;
}

/** Ready, and for `minReadySeconds` without a break. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const sinceMs = readySinceMs(pod);
  return sinceMs !== undefined && sinceMs + minReadySeconds * 1000 <= nowMs;
}

/** In how many milliseconds the first of those that are ready and not yet available will be; undefined if there is none. */
export function nextAvailableInMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  if (minReadySeconds === 0) return undefined;
  let nextMs: number | undefined;
  for (const pod of pods) {
    const sinceMs = readySinceMs(pod);
    if (sinceMs === undefined) continue;
    const inMs = sinceMs + minReadySeconds * 1000 - nowMs;
    if (inMs > 0 && (nextMs === undefined || inMs < nextMs)) nextMs = inMs;
  }
  return nextMs;
}

/** All its containers have ended for good. */
export function hasEnded({ status: { phase } }: Pod): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** Milliseconds since the epoch. */
export function timeMs(text: string | null | undefined): number | undefined {
  if (text === undefined || text === null) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function readyCondition({ status }: Pod): PodCondition | undefined {
  return status.conditions?.find(({ type }) => type === "Ready");
}
