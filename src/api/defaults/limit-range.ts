// Numbers of a LimitRange that follow from others, and the quantities of a ResourceQuota.

import type { LimitRange, LimitRangeItem, ResourceQuota } from "../types.ts";
import { roundQuantities } from "./pod-spec.ts";

type Amounts = { [name: string]: string };

/** Changes the object. */
export function setLimitRangeDefaults({ spec }: LimitRange): void {
  for (const item of spec.limits ?? []) {
    if (item.type === "Container") setContainerLimits(item);
    for (const amounts of [
      item.max,
      item.min,
      item.default,
      item.defaultRequest,
      item.maxLimitRequestRatio,
    ]) {
      roundQuantities(amounts);
    }
  }
}

/** Changes the object. */
export function setResourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  roundQuantities(spec.hard);
  roundQuantities(status.hard);
  roundQuantities(status.used);
}

/** What has a maximum is limited to it; what has a limit, or at least a minimum, asks for that. */
function setContainerLimits(item: LimitRangeItem): void {
  const limits: Amounts = { ...item.max, ...item.default };
  const requests: Amounts = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}
