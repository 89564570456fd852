// What disruption budgets say to the eviction of a pod. An eviction that one allows is taken off it before the pod goes,
// so that evictions that come at the same time cannot use up the same allowance.

import type { ApiObject } from "../../api/object.ts";
import { labelSelectorOf } from "../../api/selectors/label-selector.ts";
import {
  forbidden,
  notFound,
  type StatusCause,
  StatusError,
  tooManyRequests,
} from "../../api/status-error.ts";
import type { Condition, Pod, PodDisruptionBudget } from "../../api/types.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { Change } from "../registry/object-store.ts";
import { named, objectKey } from "../registry/resource.ts";
import { type RequestContext, timestamp } from "./context.ts";

type Budget = ApiObject & PodDisruptionBudget;

/** Pods that were taken off and that nobody has confirmed; more are not remembered. */
const MAX_DISRUPTED_PODS = 2000;
const DISRUPTION_ALLOWED = "DisruptionAllowed";

/**
 * Takes the eviction off the pod's budget, if it has one; refuses if nothing is left. Returns the name of a budget
 * that lets the pod go uncounted, because it is not well: which holds only for the pod as it was seen.
 */
export async function takeDisruption(
  context: RequestContext,
  pod: ApiObject & Pod,
  isDryRun: boolean,
): Promise<string | undefined> {
  const { parts, info, nowMs } = context;
  const budgets = parts.resource("policy", "v1", "poddisruptionbudgets");
  if (budgets === undefined || isPastBudgets(pod)) return undefined;
  const matching = [...budgets.cache.list(`${info.namespace}/`)]
    .map(({ object }) => object as Budget)
    .filter(({ spec }) => labelSelectorOf(spec.selector).matches(pod.metadata.labels));
  const [budget] = matching;
  if (budget === undefined) return undefined;
  if (matching.length > 1) throw moreThanOne();
  const { name = "" } = budget.metadata;
  if (isUncounted(pod, budget)) return name;
  const key = objectKey(budgets.kind, info.namespace, name);
  const decide = (current: CachedObject | undefined): Change => {
    if (current === undefined) throw notFound(named(budgets), name);
    const live = current.object as Budget;
    refuseIfUsedUp(live);
    return { do: "write", object: lessOne(live, pod, timestamp(nowMs)) };
  };
  if (isDryRun) decide(await parts.objects.get(budgets, key));
  else await parts.objects.change(budgets, key, decide);
  return undefined;
}

/** Pods that are not running count for nothing, and can always go. */
function isPastBudgets({ metadata, status }: Pod): boolean {
  const { phase = "" } = status;
  const isIdle = phase === "Succeeded" || phase === "Failed" || phase === "Pending";
  return isIdle || metadata.deletionTimestamp !== undefined;
}

/** Whoever is not ready is not one of the healthy ones that the budget guards. */
function isUncounted({ status }: Pod, budget: Budget): boolean {
  const isReady = status.conditions?.some((of) => of.type === "Ready" && of.status === "True");
  if (isReady === true) return false;
  if (budget.spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy, desiredHealthy } = budget.status;
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function lessOne(budget: Budget, pod: Pod, now: string): ApiObject {
  const { status } = budget;
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name ?? ""]: now };
  const conditions = disruptionsAllowed === 0 ? usedUp(status, now) : status.conditions;
  return { ...budget, status: { ...status, disruptionsAllowed, disruptedPods, conditions } };
}

function usedUp(
  { conditions = [], observedGeneration }: Budget["status"],
  now: string,
): Condition[] {
  const before = conditions.find(({ type }) => type === DISRUPTION_ALLOWED);
  const condition: Condition = {
    type: DISRUPTION_ALLOWED,
    status: "False",
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : now,
    reason: "InsufficientPods",
    message: "",
  };
  if (before === undefined) return [...conditions, condition];
  return conditions.map((given) => (given === before ? condition : given));
}

function refuseIfUsedUp({ metadata, status }: Budget): void {
  const { name = "", generation = 0 } = metadata;
  if ((status.observedGeneration ?? 0) < generation) throw stillProcessed(name);
  if (status.disruptionsAllowed < 0) {
    const why = "pdb disruptions allowed is negative";
    throw notAllowed(name, why, why);
  }
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS) {
    throw notAllowed(
      name,
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
      "too many pending evictions not confirmed by PDB controller",
    );
  }
  if (status.disruptionsAllowed === 0) throw tooMany(0, usedUpText(name, status));
}

function usedUpText(name: string, status: Budget["status"]): string {
  const { currentHealthy, desiredHealthy, conditions = [] } = status;
  const why = conditions.find(({ type }) => type === DISRUPTION_ALLOWED);
  const told = why?.status === "False" && why.message !== "" ? why : undefined;
  const refused = `The disruption budget ${name} does not allow evicting pods currently`;
  // The numbers are those of the last time that they could be found out.
  if (told?.reason === "SyncFailed") return `${refused} because it failed sync: ${told.message}`;
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return told === undefined ? refused : `${refused} (${told.reason}): ${told.message}`;
}

/** The client comes back when what the budget says is about the pods and the budget of now. */
export function stillProcessed(name: string): StatusError {
  return tooMany(10, `The disruption budget ${name} is still being processed by the server.`);
}

function tooMany(retryAfterSeconds: number, why: string): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  const { code, reason, message, details } = tooManyRequests(text, retryAfterSeconds);
  const causes = [budgetCause(why)];
  return new StatusError({
    code,
    reason,
    message,
    details: { causes, ...(retryAfterSeconds > 0 && details) },
  });
}

function notAllowed(name: string, why: string, shown: string): StatusError {
  const budget = {
    group: "policy",
    resource: "poddisruptionbudget",
    kind: "poddisruptionbudget",
  };
  return forbidden(budget, name, why, [
    budgetCause(`The disruption budget ${name} does not allow evicting pods currently: ${shown}`),
  ]);
}

function budgetCause(message: string): StatusCause {
  return { reason: "DisruptionBudget", message };
}

function moreThanOne(): StatusError {
  return new StatusError({
    code: 500,
    reason: "InternalError",
    message:
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
  });
}
