// What a PodDisruptionBudget may ask for.

import type { Condition, PodDisruptionBudget, PodDisruptionBudgetSpec } from "../types.ts";
import { validateConditions } from "./conditions.ts";
import { validateNonNegative } from "./counts.ts";
import { type FieldError, invalid, notSupported } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import {
  type IntOrString,
  validateNotMoreThan100Percent,
  validatePositiveIntOrPercent,
} from "./int-or-percent.ts";
import { hasInvalidSelectorValue, validateLabelSelector } from "./labels.ts";
import { nameIsPathSegment } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const specPath = FieldPath.of("spec");
const statusPath = FieldPath.of("status");
const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

export function validatePodDisruptionBudget(budget: PodDisruptionBudget): FieldError[] {
  const errors = validateSpec(budget.spec, false);
  // Metadata has no rules of its own here: the general ones are asked once the rest is right.
  if (errors.length > 0) return errors;
  return validateObjectMeta(budget.metadata, { namespaced: true, name: nameIsPathSegment });
}

export function validatePodDisruptionBudgetUpdate(
  budget: PodDisruptionBudget,
  old: PodDisruptionBudget,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(budget.metadata, old.metadata),
    ...validateSpec(budget.spec, hasInvalidSelectorValue(old.spec.selector)),
  ];
}

export function validatePodDisruptionBudgetStatusUpdate(
  budget: PodDisruptionBudget,
  old: PodDisruptionBudget,
): FieldError[] {
  const { status } = budget;
  const conditions: readonly Condition[] = status.conditions ?? [];
  return [
    ...validateObjectMetaUpdate(budget.metadata, old.metadata),
    ...validateConditions(conditions, statusPath.child("conditions")),
    ...validateNonNegative(
      status,
      ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"],
      statusPath,
    ),
  ];
}

function validateSpec(spec: PodDisruptionBudgetSpec, allowInvalidValues: boolean): FieldError[] {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const text = "minAvailable and maxUnavailable cannot be both set";
    errors.push(invalid(specPath, shownSpec(spec), text));
  }
  errors.push(
    ...validateNumber(minAvailable, specPath.child("minAvailable")),
    ...validateNumber(maxUnavailable, specPath.child("maxUnavailable")),
    ...validateLabelSelector(spec.selector, specPath.child("selector"), { allowInvalidValues }),
  );
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    errors.push(
      notSupported(specPath.child("unhealthyPodEvictionPolicy"), policy, evictionPolicies),
    );
  }
  return errors;
}

function validateNumber(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (value === undefined) return [];
  return [
    ...validatePositiveIntOrPercent(value, path),
    ...validateNotMoreThan100Percent(value, path),
  ];
}

/** In the spelling that the API uses inside, which its message shows. */
function shownSpec(spec: PodDisruptionBudgetSpec): {
  MinAvailable: IntOrString | null;
  Selector: NonNullable<PodDisruptionBudgetSpec["selector"]> | null;
  MaxUnavailable: IntOrString | null;
  UnhealthyPodEvictionPolicy: string | null;
} {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}
