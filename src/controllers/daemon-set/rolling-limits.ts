// How far a DaemonSet may stray from one available pod per node while it is updated.

import type { IntOrString } from "../../api/validation/int-or-percent.ts";
import type { DaemonSetObject } from "./daemon-set-object.ts";

export interface RollingLimits {
  /** On how many nodes a second pod may be. */
  readonly maxSurge: number;
  /** On how many nodes no pod may be available. */
  readonly maxUnavailable: number;
}

/** Shares are rounded up. Where neither is allowed nothing could ever move: then one may be unavailable. */
export function rollingLimits({ spec }: DaemonSetObject, wanted: number): RollingLimits {
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type !== "RollingUpdate") return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaled(rollingUpdate?.maxSurge ?? 0, wanted);
  const maxUnavailable = scaled(rollingUpdate?.maxUnavailable ?? 0, wanted);
  if (wanted > 0 && maxSurge + maxUnavailable === 0) return { maxSurge, maxUnavailable: 1 };
  return { maxSurge, maxUnavailable };
}

/** More than one pod may be on a node. */
export function allowsSurge(set: DaemonSetObject): boolean {
  return rollingLimits(set, 1).maxSurge > 0;
}

function scaled(value: IntOrString, total: number): number {
  if (typeof value === "number") return value;
  const share = /^(\d+)%$/.exec(value)?.[1];
  if (share === undefined) throw new Error(`Cannot update: ${value} is not a percentage`);
  return Math.ceil((Number(share) * total) / 100);
}
