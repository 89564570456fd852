// What a ResourceQuota may limit.

import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "../types.ts";
import { type FieldError, invalid, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { isHugePages, validateQuantity, validateResourceName } from "./resources.ts";

type Amounts = { readonly [name: string]: string } | undefined;

const specPath = FieldPath.of("spec");
const statusPath = FieldPath.of("status");
const compute = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const podResources = ["pods", ...compute];
const quotaResources: ReadonlySet<string> = new Set([
  ...podResources,
  "ephemeral-storage",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
]);

/** By scope: what it can be used for. */
const scopes: ReadonlyMap<string, readonly string[]> = new Map([
  ["Terminating", podResources],
  ["NotTerminating", podResources],
  ["NotBestEffort", podResources],
  ["PriorityClass", podResources],
  ["CrossNamespacePodAffinity", podResources],
  ["BestEffort", ["pods"]],
  ["VolumeAttributesClass", ["persistentvolumeclaims", "requests.storage"]],
]);
const scopesThatExist = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

export function validateResourceQuota(quota: ResourceQuota): FieldError[] {
  return [
    ...validateObjectMeta(quota.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(quota.spec),
    ...validateAmounts(quota.status.hard, statusPath.child("hard")),
    ...validateAmounts(quota.status.used, statusPath.child("used")),
  ];
}

export function validateResourceQuotaUpdate(
  quota: ResourceQuota,
  old: ResourceQuota,
): FieldError[] {
  const errors = [
    ...validateObjectMetaUpdate(quota.metadata, old.metadata),
    ...validateSpec(quota.spec),
  ];
  if (scopeSet(quota.spec) !== scopeSet(old.spec)) {
    const shown = quota.spec.scopes ?? null;
    errors.push(invalid(specPath.child("scopes"), shown, "field is immutable"));
  }
  return errors;
}

export function validateResourceQuotaStatusUpdate(
  quota: ResourceQuota,
  old: ResourceQuota,
): FieldError[] {
  const errors = validateObjectMetaUpdate(quota.metadata, old.metadata);
  if ((quota.metadata.resourceVersion ?? "") === "") {
    errors.push(required(FieldPath.of("resourceVersion")));
  }
  return [
    ...errors,
    ...validateAmounts(quota.status.hard, statusPath.child("hard")),
    ...validateAmounts(quota.status.used, statusPath.child("used")),
  ];
}

function scopeSet({ scopes: used }: ResourceQuotaSpec): string {
  return [...new Set(used ?? [])].sort().join();
}

function validateSpec(spec: ResourceQuotaSpec): FieldError[] {
  return [
    ...validateAmounts(spec.hard, specPath.child("hard")),
    ...validateScopes(spec),
    ...validateScopeSelector(spec),
  ];
}

function validateAmounts(amounts: Amounts, path: FieldPath): FieldError[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) => [
    ...validateQuotaResource(name, path.key(name)),
    ...validateQuantity(name, amount, path.key(name)),
  ]);
}

function validateQuotaResource(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (name.includes("/") || isQuotaResource(name)) return errors;
  return [...errors, invalid(path, name, "must be a standard resource for quota")];
}

function isQuotaResource(name: string): boolean {
  return quotaResources.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");
}

/** One error for each resource that the scope has nothing to do with. */
function misapplied(scope: string, { hard }: ResourceQuotaSpec): readonly string[] {
  const fitting = scopes.get(scope);
  if (fitting === undefined) return [];
  return Object.keys(hard ?? {}).filter((name) => isQuotaResource(name) && !fitting.includes(name));
}

function validateScopes(spec: ResourceQuotaSpec): FieldError[] {
  const all = spec.scopes ?? [];
  const path = specPath.child("scopes");
  const errors = all.flatMap((scope) => [
    ...(scopes.has(scope) ? [] : [invalid(path, [...all], "unsupported scope")]),
    ...misapplied(scope, spec).map(() =>
      invalid(path, [...all], "unsupported scope applied to resource"),
    ),
  ]);
  return [...errors, ...validateOpposites(all, spec, path)];
}

function validateOpposites(
  used: readonly string[],
  spec: ResourceQuotaSpec,
  path: FieldPath,
): FieldError[] {
  return opposites
    .filter((pair) => pair.every((scope) => used.includes(scope)))
    .map(() => invalid(path, spec.scopes ?? null, "conflicting scopes"));
}

function validateScopeSelector(spec: ResourceQuotaSpec): FieldError[] {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const path = specPath.child("scopeSelector", "matchExpressions");
  return [
    ...requirements.flatMap((requirement) => [
      ...validateScope(requirement.scopeName, spec, path),
      ...validateRequirement(requirement, path),
    ]),
    ...validateOpposites(
      requirements.map(({ scopeName }) => scopeName),
      spec,
      path,
    ),
  ];
}

function validateScope(scope: string, spec: ResourceQuotaSpec, path: FieldPath): FieldError[] {
  const errors = scopes.has(scope)
    ? []
    : [invalid(path.child("scopeName"), scope, "unsupported scope")];
  const shown = {
    MatchExpressions: (spec.scopeSelector?.matchExpressions ?? []).map((requirement) => ({
      ScopeName: requirement.scopeName,
      Operator: requirement.operator,
      Values: requirement.values ?? null,
    })),
  };
  return [
    ...errors,
    ...misapplied(scope, spec).map(() =>
      invalid(path, shown, "unsupported scope applied to resource"),
    ),
  ];
}

function validateRequirement(
  { scopeName, operator, values }: ScopedResourceSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const given = values ?? [];
  if (scopesThatExist.includes(scopeName) && operator !== "Exists") {
    const text =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(invalid(path.child("operator"), operator, text));
  }
  switch (operator) {
    case "In":
    case "NotIn": {
      if (given.length > 0) return errors;
      const text =
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      return [...errors, required(path.child("values"), text)];
    }
    case "Exists":
    case "DoesNotExist": {
      if (given.length === 0) return errors;
      const text =
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      return [...errors, invalid(path.child("values"), [...given], text)];
    }
    default:
      return [
        ...errors,
        invalid(path.child("operator"), operator, "not a valid selector operator"),
      ];
  }
}
