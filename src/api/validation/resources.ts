// Resources: their names, their amounts, and what containers and pods ask for of them.

import { parseQuantity, type Quantity } from "../quantity.ts";
import type { ResourceRequirements } from "../types.ts";
import { entry, list, text } from "./absent.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notFound,
  notSupported,
  required,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { dns1123Label, qualifiedName } from "./names.ts";

export type Resources = { readonly [name: string]: string };
export type ResourceNameRule = (name: string, path: FieldPath) => FieldError[];

const standardNames: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);
const wholeNames: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

/** Of kubernetes.io, where names without a prefix also are. */
function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith("requests.")) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

/** More may be promised than there is. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** A name of a resource, anywhere. */
export const validateResourceName: ResourceNameRule = (name, path) => {
  const details = qualifiedName(name);
  if (details.length > 0) return invalids(path, name, details);
  const isQuotaHugePages = isHugePages(name) || name.startsWith("requests.hugepages-");
  if (name.includes("/") || standardNames.has(name) || isQuotaHugePages) return [];
  return [invalid(path, name, "must be a standard resource type or fully qualified")];
};

export const validateContainerResourceName: ResourceNameRule = (name, path) => {
  const errors = validateResourceName(name, path);
  if (!name.includes("/")) {
    const isStandard = ["cpu", "memory", "ephemeral-storage"].includes(name) || isHugePages(name);
    const detail = "must be a standard resource for containers";
    return isStandard ? errors : [...errors, invalid(path, name, detail)];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
};

export const validatePodResourceName: ResourceNameRule = (name, path) => {
  const errors = validateResourceName(name, path);
  if (errors.length > 0 || name === "cpu" || name === "memory" || isHugePages(name)) return errors;
  return [notSupported(path, name, ["cpu", "hugepages-", "memory"])];
};

/** An amount: not negative, and whole if the resource cannot be split. */
export function validateQuantity(name: string, value: string, path: FieldPath): FieldError[] {
  const quantity = parseQuantity(value);
  const errors = quantity.isNegative()
    ? [invalid(path, quantity.canonical(), "must be greater than or equal to 0")]
    : [];
  const isWhole = wholeNames.has(name) || isExtendedResource(name);
  if (isWhole && quantity.milliValue() % 1000n !== 0n) {
    errors.push(invalid(path, quantity.canonical(), "must be an integer"));
  }
  return errors;
}

export interface RequirementRules {
  readonly name: ResourceNameRule;
  /** The pod's claims, which containers refer to by name. */
  readonly claims: ReadonlySet<string>;
}

export function validateRequirements(
  requirements: ResourceRequirements | null | undefined,
  rules: RequirementRules,
  path: FieldPath,
): FieldError[] {
  const limits = requirements?.limits ?? {};
  const requests = requirements?.requests ?? {};
  const errors: FieldError[] = [];
  for (const name of Object.keys(limits)) {
    const at = path.child("limits");
    errors.push(...validateAmount(name, limits, rules, at));
    errors.push(...validatePages(name, text(entry(limits, name)), at.key(name)));
  }
  for (const name of Object.keys(requests)) {
    errors.push(...validateRequest(name, { limits, requests }, rules, path));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbidden(path, "HugePages require cpu or memory"));
  }
  errors.push(...validateClaims(requirements?.claims, rules.claims, path.child("claims")));
  return errors;
}

function validateAmount(
  name: string,
  amounts: Resources,
  rules: RequirementRules,
  path: FieldPath,
): FieldError[] {
  const at = path.key(name);
  const value = text(entry(amounts, name));
  return [...rules.name(name, at), ...validateQuantity(name, value, at)];
}

function validateRequest(
  name: string,
  { limits, requests }: { readonly limits: Resources; readonly requests: Resources },
  rules: RequirementRules,
  path: FieldPath,
): FieldError[] {
  const at = path.child("requests");
  const errors = validateAmount(name, requests, rules, at);
  errors.push(...validateAgainstLimit(name, { limits, requests }, path));
  return [...errors, ...validatePages(name, text(entry(requests, name)), at.key(name))];
}

function validateAgainstLimit(
  name: string,
  { limits, requests }: { readonly limits: Resources; readonly requests: Resources },
  path: FieldPath,
): FieldError[] {
  const limitText = entry(limits, name);
  if (limitText === undefined) {
    if (isOvercommitAllowed(name)) return [];
    const detail = "Limit must be set for non overcommitable resources";
    return [required(path.child("limits"), detail)];
  }
  const request = parseQuantity(text(entry(requests, name)));
  const limit = parseQuantity(limitText);
  const order = request.compare(limit);
  const at = path.child("requests");
  if (order !== 0 && !isOvercommitAllowed(name)) {
    const detail = `must be equal to ${name} limit of ${limit.canonical()}`;
    return [invalid(at, request.canonical(), detail)];
  }
  if (order <= 0) return [];
  const detail = `must be less than or equal to ${name} limit of ${limit.canonical()}`;
  return [invalid(at, request.canonical(), detail)];
}

function isMultiple(name: string, quantity: Quantity): boolean {
  const size = name.slice("hugepages-".length);
  if (!/^[0-9]+[a-zA-Z]*$/.test(size)) return false;
  try {
    const page = parseQuantity(size);
    return page.sign() > 0 && quantity.value() % page.value() === 0n;
  } catch {
    // A size that is no quantity has no multiples.
    return false;
  }
}

function validatePages(name: string, value: string, path: FieldPath): FieldError[] {
  if (!isHugePages(name)) return [];
  const quantity = parseQuantity(value);
  if (isMultiple(name, quantity)) return [];
  const shown = quantity.canonical();
  return [invalid(path, shown, `${shown} is not positive integer multiple of ${name}`)];
}

function validateClaims(
  claims: ResourceRequirements["claims"] | null,
  known: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return list(claims).flatMap((claim, i) => {
    const at = path.index(i);
    if (claim.name === "") return [required(at)];
    const errors = validateClaimUse(claim.name, text(claim.request), seen, at);
    if (known.has(claim.name)) return errors;
    const error = notFound(at, claim.name);
    const names = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
    const detail = `must be one of the names in pod.spec.resourceClaims${names}`;
    return [...errors, { ...error, message: `${error.message}: ${detail}` }];
  });
}

function validateClaimUse(
  name: string,
  request: string,
  seen: Set<string>,
  path: FieldPath,
): FieldError[] {
  if (seen.has(name)) return [duplicate(path, name)];
  const key = request === "" ? name : `${name}/${request}`;
  const errors =
    request === "" ? [] : invalids(path.child("request"), request, dns1123Label(request));
  if (seen.has(key)) errors.push(duplicate(path, key));
  else if (request === "") {
    const uses = [...seen].filter((other) => other.startsWith(`${name}/`));
    errors.push(...uses.map(() => duplicate(path, name)));
  }
  seen.add(key);
  return errors;
}
