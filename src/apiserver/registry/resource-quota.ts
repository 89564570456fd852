// ResourceQuotas. They are stored; nothing counts.

import { setResourceQuotaDefaults } from "../../api/defaults/limit-range.ts";
import { parseQuantity } from "../../api/quantity.ts";
import type { ResourceQuota } from "../../api/types.ts";
import {
  validateResourceQuota,
  validateResourceQuotaStatusUpdate,
  validateResourceQuotaUpdate,
} from "../../api/validation/resource-quota.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

const resources = ["cpu", "memory", "storage", "ephemeral-storage"];

export const resourceQuotaStrategy: Strategy = kindStrategy<ResourceQuota>("v1", "ResourceQuota", {
  returnsDeleted: true,
  setDefaults: setResourceQuotaDefaults,
  validate: validateResourceQuota,
  validateUpdate: validateResourceQuotaUpdate,
  validateStatusUpdate: validateResourceQuotaStatusUpdate,
  warnings: ({ spec }, old) => (old === undefined ? orderWarnings(spec.hard ?? {}) : []),
});

/** More should not be requested than is allowed. */
function orderWarnings(hard: { readonly [name: string]: string }): string[] {
  return resources.flatMap((resource) => {
    const names =
      resource === "cpu" || resource === "memory"
        ? [`requests.${resource}`, resource]
        : [`requests.${resource}`];
    const request = names.find((name) => hard[name] !== undefined) ?? "";
    const [asked, limit] = [hard[request], hard[`limits.${resource}`]];
    if (asked === undefined || limit === undefined) return [];
    if (parseQuantity(asked).compare(parseQuantity(limit)) <= 0) return [];
    return [
      `ResourceQuota ${request} (${asked}) should be less than limits.${resource} (${limit})`,
    ];
  });
}
