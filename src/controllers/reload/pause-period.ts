// Reloader's pause-period: with the restart the Deployment is paused, so that further changes in that time go out together when it is over. When it
// was paused is on the Deployment itself, in Reloader's own annotation: whoever comes later knows when to go on.

import { apiTime } from "../../api/api-time.ts";
import type { WorkloadObject } from "./reload-target.ts";

export const PAUSED_AT = "deployment.reloader.stakater.com/paused-at";

/** To be merged into the patch that restarts; nothing if somebody has paused it already. */
export function pausePatch(
  { spec }: WorkloadObject,
  pauseMs: number | undefined,
  nowMs: number,
): { readonly annotations: Record<string, string>; readonly spec: { readonly paused?: true } } {
  if (pauseMs === undefined || spec.paused === true) return { annotations: {}, spec: {} };
  return { annotations: { [PAUSED_AT]: apiTime(nowMs) }, spec: { paused: true } };
}

/** What is left of a pause of ours, in ms; 0: it is over, or nobody knows since when it lasts. Undefined: there is none. */
export function pauseLeftMs(
  { metadata }: WorkloadObject,
  pauseMs: number | undefined,
  nowMs: number,
): number | undefined {
  const pausedAt = metadata.annotations?.[PAUSED_AT];
  if (pausedAt === undefined) return undefined;
  const endMs = Date.parse(pausedAt) + (pauseMs ?? 0);
  return Number.isFinite(endMs) ? Math.max(0, endMs - nowMs) : 0;
}

/** Ends a pause; one that somebody has ended already is only forgotten. */
export function resumePatch({ metadata, spec }: WorkloadObject): object {
  const { resourceVersion } = metadata;
  return {
    metadata: { resourceVersion, annotations: { [PAUSED_AT]: null } },
    ...(spec.paused === true && { spec: { paused: false } }),
  };
}
