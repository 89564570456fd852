// What a disruption budget says about the pods of now. An eviction that was allowed counts as done from then on; if the pod does not
// go, it counts as well again after a while.

import { apiTime } from "../../api/api-time.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Condition, PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../api/types.ts";
import type { IntOrString } from "../../api/validation/int-or-percent.ts";
import { isReady, timeMs } from "../pods/pod-condition.ts";
import type { PodObject } from "../pods/pod-object.ts";

export type BudgetObject = PodDisruptionBudget & ApiObject;

export interface Observed {
  readonly budget: BudgetObject;
  /** Those that it selects. */
  readonly pods: readonly PodObject[];
  /** How many pods the owners of these want in all; asked for only where a share has to be counted. Throws if they do not say. */
  readonly wantedPods: () => number;
  readonly nowMs: number;
}

export interface BudgetFindings {
  readonly status: PodDisruptionBudgetStatus;
  /** Pods that should have gone by now and are still there. */
  readonly notDeleted: readonly PodObject[];
  /** When to look again although nothing changes. */
  readonly againMs: number | undefined;
}

/** From an eviction to when the pod has to be marked, as in the original: beyond any delay of a watch. */
const DELETION_MS = 120_000;
const CONDITION = "DisruptionAllowed";

export function budgetStatus(observed: Observed): BudgetFindings {
  const { budget, pods, nowMs } = observed;
  const { generation: observedGeneration } = budget.metadata;
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp == null);
  const { disruptedPods, notDeleted, againMs } = evicted(budget, staying, nowMs);
  const isGoing = ({ metadata: { name = "" } }: PodObject): boolean => name in disruptedPods;
  const currentHealthy = staying.filter((pod) => isReady(pod) && !isGoing(pod)).length;
  const { desiredHealthy, expectedPods } = wanted(observed);
  // Nothing is allowed where no pod is known: the first ones may be there already, unseen.
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const found =
    disruptionsAllowed > 0
      ? { status: "True", reason: "SufficientPods", message: "" }
      : { status: "False", reason: "InsufficientPods", message: "" };
  const status = {
    ...{ currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed },
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    ...(observedGeneration !== undefined && { observedGeneration }),
    conditions: withCondition(budget, { ...found, observedGeneration, nowMs }),
  };
  return { status, notDeleted, againMs };
}

/** The pods that an eviction was allowed for, as far as they are still awaited to go. */
function evicted(
  { status }: BudgetObject,
  staying: readonly PodObject[],
  nowMs: number,
): Omit<BudgetFindings, "status"> & { readonly disruptedPods: Record<string, string> } {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: PodObject[] = [];
  let againMs: number | undefined;
  for (const pod of staying) {
    const { name = "" } = pod.metadata;
    const since = status.disruptedPods?.[name];
    if (typeof since !== "string") continue;
    const restMs = (timeMs(since) ?? 0) + DELETION_MS - nowMs;
    if (restMs < 0) {
      notDeleted.push(pod);
      continue;
    }
    disruptedPods[name] = since;
    // Past the moment itself, which still counts.
    againMs = Math.min(againMs ?? Infinity, restMs + 1);
  }
  return { disruptedPods, notDeleted, againMs };
}

/** Allows nothing until what is in the way is gone. */
export function failedStatus(
  budget: BudgetObject,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const { observedGeneration } = budget.status;
  const found = { status: "False", reason: "SyncFailed", message, observedGeneration, nowMs };
  return {
    ...budget.status,
    disruptionsAllowed: 0,
    conditions: withCondition(budget, found),
  };
}

function wanted({ budget, pods, wantedPods }: Observed): {
  readonly desiredHealthy: number;
  readonly expectedPods: number;
} {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) {
    const expectedPods = wantedPods();
    const mayMiss = scaledUp(maxUnavailable, expectedPods);
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - mayMiss) };
  }
  if (typeof minAvailable === "string") {
    const expectedPods = wantedPods();
    return { expectedPods, desiredHealthy: scaledUp(minAvailable, expectedPods) };
  }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  return { expectedPods: pods.length, desiredHealthy: minAvailable };
}

function scaledUp(value: IntOrString, total: number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) {
    throw new Error(`invalid value for IntOrString: invalid type: string is not a percentage`);
  }
  return Math.ceil((Number(percent) * total) / 100);
}

function withCondition(
  { status }: BudgetObject,
  found: {
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly observedGeneration: number | undefined;
    readonly nowMs: number;
  },
): Condition[] {
  const given = status.conditions ?? [];
  const { nowMs, observedGeneration, ...said } = found;
  const old = given.find(({ type }) => type === CONDITION);
  const now = apiTime(nowMs);
  const condition: Condition = {
    ...{ type: CONDITION, ...said },
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: old?.status === said.status ? old.lastTransitionTime : now,
  };
  if (old === undefined) return [...given, condition];
  return given.map((one) => (one === old ? condition : one));
}
