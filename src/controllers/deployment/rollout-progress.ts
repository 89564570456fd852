// Whether a rollout gets on. Progress is any change for the better between two looks: more new pods, fewer old ones, more ready or
// available ones. Each renews the time of the condition Progressing; when that is older than the deadline, the rollout has failed.

import type { DeploymentCondition, DeploymentStatus } from "../../api/types.ts";
import {
  AVAILABLE,
  type Conditions,
  conditionAt,
  conditionOf,
  type Finding,
  TIMED_OUT,
  withCondition,
  withoutCondition,
  withRenewed,
} from "./deployment-conditions.ts";
import type { DeploymentObject } from "./deployment-objects.ts";
import { isComplete, observedStatus } from "./deployment-status.ts";
import { allOf, type ReplicaSets } from "./replica-sets.ts";

/** The largest number is how users say "none". */
const NO_DEADLINE = 2 ** 31 - 1;
/** The stamp that a deadline is counted from is in whole seconds. */
const STAMP_MS = 1000;

export function deadlineMs({ spec }: DeploymentObject): number | undefined {
  const { progressDeadlineSeconds: seconds } = spec;
  return seconds === undefined || seconds === NO_DEADLINE ? undefined : seconds * 1000;
}

/** The status while a rollout is under way, or after it. */
export function rolloutStatus(
  deployment: DeploymentObject,
  sets: ReplicaSets,
  nowMs: number,
): DeploymentStatus {
  const status = observedStatus(deployment, sets, nowMs);
  const conditions = withProgress(deployment, sets, { status, nowMs });
  return { ...status, conditions: withFailure(conditions, sets) };
}

/** In how long the rollout may be overdue, if nothing happens until then. */
export function progressCheckMs(
  deployment: DeploymentObject,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const limitMs = deadlineMs(deployment);
  const progressing = conditionOf(status.conditions, "Progressing");
  if (limitMs === undefined || progressing === undefined) return undefined;
  if (isComplete(deployment, status)) return undefined;
  // It is overdue already, or was over before: neither becomes late with time.
  if ([TIMED_OUT, AVAILABLE].includes(progressing.reason ?? "")) return undefined;
  return Math.max(0, updatedAtMs(progressing) + limitMs - nowMs) + STAMP_MS;
}

function withProgress(
  deployment: DeploymentObject,
  { current }: ReplicaSets,
  { status, nowMs }: { readonly status: DeploymentStatus; readonly nowMs: number },
): Conditions {
  const conditions = status.conditions ?? [];
  if (deadlineMs(deployment) === undefined) return withoutCondition(conditions, "Progressing");
  const held = conditionOf(deployment.status.conditions, "Progressing");
  // The last rollout is over and this is no new one: a pod that fails now is no lack of progress.
  const isOver = status.replicas === status.updatedReplicas && held?.reason === AVAILABLE;
  if (isOver) return conditions;
  const name = current?.metadata.name;
  const what =
    name === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${name}"`;
  const found = (ok: "True" | "False", reason: string, does: string): DeploymentCondition => {
    const finding: Finding = {
      type: "Progressing",
      status: ok,
      reason,
      message: `${what} ${does}.`,
    };
    return conditionAt(finding, nowMs);
  };
  if (isComplete(deployment, status)) {
    return withCondition(conditions, found("True", AVAILABLE, "has successfully progressed"));
  }
  if (isBetter(status, deployment.status)) {
    return withRenewed(conditions, found("True", "ReplicaSetUpdated", "is progressing"));
  }
  if (isOverdue(deployment, held, nowMs)) {
    return withCondition(conditions, found("False", TIMED_OUT, "has timed out progressing"));
  }
  return conditions;
}

function isBetter(status: DeploymentStatus, before: DeploymentStatus): boolean {
  const { updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  return (
    updatedReplicas > (before.updatedReplicas ?? 0) ||
    oldPods(status) < oldPods(before) ||
    readyReplicas > (before.readyReplicas ?? 0) ||
    availableReplicas > (before.availableReplicas ?? 0)
  );
}

function oldPods({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number {
  return replicas - updatedReplicas;
}

function isOverdue(
  deployment: DeploymentObject,
  held: DeploymentCondition | undefined,
  nowMs: number,
): boolean {
  const limitMs = deadlineMs(deployment);
  // What is held may be about the rollout before, long ago.
  if (held === undefined || limitMs === undefined || held.reason === AVAILABLE) return false;
  return held.reason === TIMED_OUT || updatedAtMs(held) + limitMs < nowMs;
}

function updatedAtMs({ lastUpdateTime }: DeploymentCondition): number {
  return Date.parse(lastUpdateTime ?? "") || 0;
}

/** Why a ReplicaSet cannot make its pods; the current one's reason before others'. */
function withFailure(conditions: Conditions, sets: ReplicaSets): DeploymentCondition[] {
  const { current } = sets;
  const failure = [...(current === undefined ? [] : [current]), ...allOf(sets)]
    .flatMap(({ status }) => status.conditions ?? [])
    .find(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  const { lastTransitionTime } = failure;
  return withCondition(conditions, { ...failure, lastUpdateTime: lastTransitionTime });
}
