// Resources that are given to a pod as a whole. They cover at least what its containers ask for.

import { parseQuantity, type Quantity } from "../quantity.ts";
import type { Container, PodSpec } from "../types.ts";
import { entry, isAbsent, list } from "./absent.ts";
import { type FieldError, forbidden, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import {
  isHugePages,
  type Resources,
  validatePodResourceName,
  validateRequirements,
} from "./resources.ts";

export function validatePodResources(spec: PodSpec, path: FieldPath): FieldError[] {
  const { resources } = spec;
  if (isAbsent(resources)) return [];
  if (spec.os?.name === "windows") return [forbidden(path, "may not be set for a windows pod")];
  const errors: FieldError[] = [];
  if (list(resources.claims).length > 0) {
    const detail = "claims may not be set for Resources at pod-level";
    errors.push(forbidden(path.child("claims"), detail));
  }
  const rules = { name: validatePodResourceName, claims: new Set<string>() };
  return [
    ...errors,
    ...validateRequirements(resources, rules, path),
    ...validateRequests(spec, resources.requests ?? {}, path.child("requests")),
    ...validateLimits(spec, resources.limits ?? {}, path),
  ];
}

/** What the containers ask for together: init containers run before the others, sidecars beside them. */
export function aggregated(spec: PodSpec, kind: "requests" | "limits"): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const container of list(spec.containers)) addTo(total, container, kind);
  const sidecars = new Map<string, Quantity>();
  let most = new Map<string, Quantity>();
  for (const container of list(spec.initContainers)) {
    if (container.restartPolicy === "Always") {
      addTo(total, container, kind);
      addTo(sidecars, container, kind);
      most = largest(most, sidecars);
      continue;
    }
    const atOnce = new Map(sidecars);
    addTo(atOnce, container, kind);
    most = largest(most, atOnce);
  }
  return largest(total, most);
}

function validateRequests(spec: PodSpec, requests: Resources, path: FieldPath): FieldError[] {
  return [...aggregated(spec, "requests")].flatMap(([name, sum]) => {
    const own = entry(requests, name);
    if (own === undefined || sum.compare(parseQuantity(own)) <= 0) return [];
    const detail = `must be greater than or equal to aggregate container requests of ${sum.canonical()}`;
    return [invalid(path.key(name), own, detail)];
  });
}

function validateLimits(spec: PodSpec, limits: Resources, path: FieldPath): FieldError[] {
  const pages = [...aggregated(spec, "limits")].filter(([name]) => isHugePages(name));
  return [
    ...pages.flatMap(([name, sum]) => {
      const own = entry(limits, name);
      if (own === undefined || sum.compare(parseQuantity(own)) <= 0) return [];
      const detail = `must be greater than or equal to aggregate container limits of ${sum.canonical()}`;
      return [invalid(path.child("limits").key(name), own, detail)];
    }),
    ...list(spec.containers).flatMap(({ resources }, i) =>
      Object.entries(resources.limits ?? {}).flatMap(([name, limit]) => {
        const own = entry(limits, name);
        if (own === undefined || parseQuantity(limit).compare(parseQuantity(own)) <= 0) return [];
        const at = path.child("containers").index(i).key(name).child("limits");
        return [invalid(at, limit, `must be less than or equal to pod limits of ${own}`)];
      }),
    ),
  ];
}

function addTo(
  sum: Map<string, Quantity>,
  { resources }: Container,
  kind: "requests" | "limits",
): void {
  for (const [name, value] of Object.entries(resources[kind] ?? {})) {
    const quantity = parseQuantity(value);
    sum.set(name, sum.get(name)?.add(quantity) ?? quantity);
  }
}

function largest(
  a: ReadonlyMap<string, Quantity>,
  b: ReadonlyMap<string, Quantity>,
): Map<string, Quantity> {
  const most = new Map(a);
  for (const [name, quantity] of b) {
    const other = most.get(name);
    if (other === undefined || other.compare(quantity) < 0) most.set(name, quantity);
  }
  return most;
}
