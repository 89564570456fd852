// The findings in a Deployment's status, one per type. A condition keeps its times while its status and reason stay, and the time of its
// last transition while its status stays.

import { apiTime } from "../../api/api-time.ts";
import type { DeploymentCondition } from "../../api/types.ts";

export type Conditions = readonly DeploymentCondition[];

/** The reasons of Progressing that decisions depend on. */
export const PAUSED = "DeploymentPaused";
export const TIMED_OUT = "ProgressDeadlineExceeded";
export const AVAILABLE = "NewReplicaSetAvailable";

export interface Finding {
  readonly type: "Available" | "Progressing";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export function conditionAt(finding: Finding, nowMs: number): DeploymentCondition {
  const now = apiTime(nowMs);
  const { type, status, reason, message } = finding;
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

export function conditionOf(
  conditions: Conditions | undefined,
  type: string,
): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** With this one, unless it says nothing new. */
export function withCondition(
  conditions: Conditions,
  condition: DeploymentCondition,
): DeploymentCondition[] {
  const held = conditionOf(conditions, condition.type);
  const isSameStatus = held?.status === condition.status;
  if (isSameStatus && held.reason === condition.reason) return [...conditions];
  return withRenewed(conditions, condition);
}

/** With this one, even if all that is new is the time. */
export function withRenewed(
  conditions: Conditions,
  condition: DeploymentCondition,
): DeploymentCondition[] {
  const held = conditionOf(conditions, condition.type);
  const lastTransitionTime =
    held?.status === condition.status ? held.lastTransitionTime : condition.lastTransitionTime;
  return [...withoutCondition(conditions, condition.type), { ...condition, lastTransitionTime }];
}

export function withoutCondition(conditions: Conditions, type: string): DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}
