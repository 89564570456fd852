// Resources of a pod as a whole that follow from those of its containers.

import { parseQuantity, type Quantity } from "../quantity.ts";
import type { PodSpec } from "../types.ts";
import { list } from "../validation/absent.ts";
import { aggregated } from "../validation/pod-resources.ts";
import { isHugePages, isOvercommitAllowed } from "../validation/resources.ts";

type Amounts = { [name: string]: string };

/** Changes the spec. Does nothing unless the pod as a whole has any. */
export function setPodLevelResources(spec: PodSpec): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const limits: Amounts = { ...resources.limits };
  const requests: Amounts = { ...resources.requests };
  if (Object.keys({ ...limits, ...requests }).length === 0) return;
  const sums = aggregated(spec, "limits");
  for (const [name, sum] of sums) {
    if (isHugePages(name) && requests[name] === undefined) limits[name] ??= sum.canonical();
  }
  setRequests(spec, requests, limits);
  setLimits(spec, { requests, limits, sums });
  if (Object.keys(limits).length > 0) resources.limits = limits;
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function setRequests(spec: PodSpec, requests: Amounts, limits: Amounts): void {
  for (const [name, sum] of aggregated(spec, "requests")) {
    if (isForPods(name) && isOvercommitAllowed(name)) requests[name] ??= sum.canonical();
  }
  for (const [name, limit] of Object.entries(limits)) {
    if (isForPods(name)) requests[name] ??= limit;
  }
}

interface PodAmounts {
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** What the containers may have together. */
  readonly sums: ReadonlyMap<string, Quantity>;
}

function setLimits(spec: PodSpec, { requests, limits, sums }: PodAmounts): void {
  for (const [name, value] of Object.entries(requests)) {
    const sum = sums.get(name);
    if (!isForPods(name) || limits[name] !== undefined || sum === undefined) continue;
    if (!isLimitedEverywhere(spec, name)) continue;
    const request = parseQuantity(value);
    limits[name] = (request.compare(sum) > 0 ? request : sum).canonical();
  }
}

function isForPods(name: string): boolean {
  return name === "cpu" || name === "memory" || isHugePages(name);
}

function isLimitedEverywhere(spec: PodSpec, name: string): boolean {
  return [
    ...list(spec.initContainers),
    ...list(spec.containers),
    ...list(spec.ephemeralContainers),
  ].every(({ resources }) => resources.limits?.[name] !== undefined);
}
