// How far a rolling update may stray from the wanted number of pods. Shares of surge are rounded up and shares of unavailable pods down,
// so that "25%" of a few pods means: one more first, then one less.

import type { IntOrString } from "../../api/validation/int-or-percent.ts";
import { type DeploymentObject, desiredReplicas } from "./deployment-objects.ts";

/** How many pods more than wanted there may be. */
export function maxSurge(deployment: DeploymentObject): number {
  return limitsOf(deployment).surge;
}

/** How many of the wanted pods may be missing; never more than all. */
export function maxUnavailable(deployment: DeploymentObject): number {
  return Math.min(limitsOf(deployment).unavailable, desiredReplicas(deployment));
}

/** What the user was promised. */
export function minAvailable(deployment: DeploymentObject): number {
  return desiredReplicas(deployment) - maxUnavailable(deployment);
}

function limitsOf(deployment: DeploymentObject): {
  readonly surge: number;
  readonly unavailable: number;
} {
  const { type, rollingUpdate } = deployment.spec.strategy;
  if (type !== "RollingUpdate") return { surge: 0, unavailable: 0 };
  const desired = desiredReplicas(deployment);
  const surge = scaled(rollingUpdate?.maxSurge ?? 0, desired, Math.ceil);
  const unavailable = scaled(rollingUpdate?.maxUnavailable ?? 0, desired, Math.floor);
  // Rounding can leave no room to move in either direction. Room is made below, since a quota may forbid more pods.
  return surge + unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

function scaled(value: IntOrString, total: number, round: (exact: number) => number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) throw new Error(`Cannot roll out: ${value} is not a percentage`);
  return round((Number(percent) * total) / 100);
}
