// What a DaemonSet may look like, and what an update may not change.

import type { DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy } from "../types.ts";
import { validateCollisionCount, validateNonNegative } from "./counts.ts";
import { shownStrategy } from "./deployment.ts";
import { type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import {
  intOrPercentNumber,
  validateNotMoreThan100Percent,
  validatePositiveIntOrPercent,
} from "./int-or-percent.ts";
import { isEmptySelector, labelMatcher } from "./label-selector.ts";
import { hasInvalidSelectorValue, validateLabelSelector } from "./labels.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { nonNegative, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validatePodTemplateSpec } from "./pod-template.ts";
import { mismatch, validateRunsForever } from "./selected-template.ts";
import { immutableField } from "./semantic-equal.ts";

/** Where apps/v1 keeps the number that counts changes of the template. */
export const templateGenerationAnnotation = "deprecated.daemonset.template.generation";

const specPath = FieldPath.of("spec");
const statusPath = FieldPath.of("status");

export function validateDaemonSet(daemonSet: DaemonSet): FieldError[] {
  return [
    ...validateObjectMeta(daemonSet.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(daemonSet, undefined),
  ];
}

export function validateDaemonSetUpdate(daemonSet: DaemonSet, old: DaemonSet): FieldError[] {
  return [
    ...validateObjectMetaUpdate(daemonSet.metadata, old.metadata),
    ...immutableField(daemonSet.spec.selector, old.spec.selector, specPath.child("selector")),
    ...validateSpec(daemonSet, old),
  ];
}

export function validateDaemonSetStatusUpdate(daemonSet: DaemonSet, old: DaemonSet): FieldError[] {
  const { status } = daemonSet;
  return [
    ...validateObjectMetaUpdate(daemonSet.metadata, old.metadata),
    ...validateNonNegative(
      status,
      [
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
      ],
      statusPath,
    ),
    ...validateCollisionCount(
      status.collisionCount,
      old.status.collisionCount,
      statusPath.child("collisionCount"),
    ),
  ];
}

/** 0 if the annotation is absent or not a number. */
export function templateGenerationOf(daemonSet: DaemonSet): number {
  const text = daemonSet.metadata.annotations?.[templateGenerationAnnotation] ?? "";
  return /^[-+]?\d+$/.test(text) ? Number(text) : 0;
}

function validateSpec(daemonSet: DaemonSet, old: DaemonSet | undefined): FieldError[] {
  const { spec } = daemonSet;
  const at = specPath.child("template");
  const options = { allowInvalidValues: hasInvalidSelectorValue(old?.spec.selector) };
  return [
    ...validateLabelSelector(spec.selector, specPath.child("selector"), options),
    ...validateSelection(spec),
    ...validatePodTemplateSpec(spec.template, at, old?.spec.template),
    ...validateRunsForever(spec.template, "DaemonSet", at),
    ...validateNonNegative(spec, ["minReadySeconds"], specPath),
    ...nonNegative(templateGenerationOf(daemonSet), specPath.child("templateGeneration")),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}, specPath.child("updateStrategy")),
    ...validateNonNegative(spec, ["revisionHistoryLimit"], specPath),
  ];
}

function validateSelection({ selector, template }: DaemonSetSpec): FieldError[] {
  const errors: FieldError[] = [];
  const labels = template.metadata?.labels;
  if (labelMatcher(selector)?.matches(labels) === false) {
    errors.push(invalid(specPath.child("template", "metadata", "labels"), labels, mismatch));
  }
  if (selector !== undefined && selector !== null && isEmptySelector(selector)) {
    const text = "empty selector is invalid for daemonset";
    errors.push(invalid(specPath.child("selector"), selector, text));
  }
  return errors;
}

function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath): FieldError[] {
  const { type = "", rollingUpdate } = strategy;
  switch (type) {
    case "OnDelete":
      return [];
    case "RollingUpdate":
      if (rollingUpdate === undefined) return [required(path.child("rollingUpdate"))];
      return validateRollingUpdate(rollingUpdate, path.child("rollingUpdate"));
    default:
      return [notSupported(path, shownStrategy(strategy), ["RollingUpdate", "OnDelete"])];
  }
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: NonNullable<DaemonSetUpdateStrategy["rollingUpdate"]>,
  path: FieldPath,
): FieldError[] {
  const errors = [
    ...validatePositiveIntOrPercent(maxUnavailable, path.child("maxUnavailable")),
    ...validatePositiveIntOrPercent(maxSurge, path.child("maxSurge")),
    ...validateNotMoreThan100Percent(maxUnavailable, path.child("maxUnavailable")),
    ...validateNotMoreThan100Percent(maxSurge, path.child("maxSurge")),
  ];
  const unavailable = intOrPercentNumber(maxUnavailable) !== 0;
  const surge = intOrPercentNumber(maxSurge) !== 0;
  if (unavailable && surge) {
    const text = "may not be set when maxUnavailable is non-zero";
    errors.push(invalid(path.child("maxSurge"), maxSurge, text));
  }
  if (!unavailable && !surge) {
    errors.push(required(path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0"));
  }
  return errors;
}
