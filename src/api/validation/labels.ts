// Labels, annotations and selectors of labels, wherever they occur.

import { type FieldError, forbidden, invalid, invalids, required, tooLong } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { labelValue, qualifiedName } from "./names.ts";
import { utf8Length } from "./utf8-length.ts";

type StringMap = { readonly [key: string]: string };

/** As the tables have it; both lists may be left out. */
export interface LabelSelectorLike {
  readonly matchLabels?: StringMap | null | undefined;
  readonly matchExpressions?: readonly LabelSelectorRequirementLike[] | null | undefined;
}

interface LabelSelectorRequirementLike {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | null | undefined;
}

const maxAnnotationBytes = 256 * 1024;

export function validateLabels(
  labels: StringMap | null | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] ?? "";
    const [wrongKey, wrongValue] = [qualifiedName(key), labelValue(value)];
    if (wrongKey.length > 0) errors.push(...invalids(path, key, wrongKey));
    if (wrongValue.length > 0) errors.push(...invalids(path, value, wrongValue));
  }
  return errors;
}

export function validateLabelName(name: string, path: FieldPath): FieldError[] {
  return invalids(path, name, qualifiedName(name));
}

export function validateAnnotations(
  annotations: StringMap | null | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  let units = 0;
  for (const key in annotations) {
    units += key.length + (annotations[key]?.length ?? 0);
    const details = qualifiedName(key.toLowerCase());
    if (details.length > 0) errors.push(...invalids(path, key, details));
  }
  // A UTF-16 unit is at most three bytes: only what could be too large is counted.
  if (units * 3 > maxAnnotationBytes && bytesOf(annotations) > maxAnnotationBytes) {
    errors.push(tooLong(path, maxAnnotationBytes));
  }
  return errors;
}

export interface LabelSelectorOptions {
  /** For updates of objects that have such values already. */
  readonly allowInvalidValues?: boolean | undefined;
}

export function validateLabelSelector(
  selector: LabelSelectorLike | null | undefined,
  path: FieldPath,
  options: LabelSelectorOptions = {},
): FieldError[] {
  if (selector === undefined || selector === null) return [];
  const errors = validateLabels(selector.matchLabels, path.child("matchLabels"));
  for (const [i, expression] of (selector.matchExpressions ?? []).entries()) {
    const at = path.child("matchExpressions").index(i);
    errors.push(...validateRequirement(expression, at, options));
  }
  return errors;
}

/** Whether an update may keep values that would be refused today. */
export function hasInvalidSelectorValue(selector: LabelSelectorLike | null | undefined): boolean {
  return (selector?.matchExpressions ?? []).some((expression) =>
    (expression.values ?? []).some((value) => labelValue(value).length > 0),
  );
}

function validateRequirement(
  { key = "", operator = "", values }: LabelSelectorRequirementLike,
  path: FieldPath,
  options: LabelSelectorOptions,
): FieldError[] {
  const given = values ?? [];
  const errors: FieldError[] = [];
  switch (operator) {
    case "In":
    case "NotIn":
      if (given.length === 0) {
        const text = "must be specified when `operator` is 'In' or 'NotIn'";
        errors.push(required(path.child("values"), text));
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (given.length > 0) {
        const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        errors.push(forbidden(path.child("values"), text));
      }
      break;
    default:
      errors.push(invalid(path.child("operator"), operator, "not a valid selector operator"));
  }
  errors.push(...validateLabelName(key, path.child("key")));
  if (options.allowInvalidValues === true) return errors;
  for (const [i, value] of given.entries()) {
    const at = path.child("values").index(i);
    errors.push(...invalids(at, value, labelValue(value)));
  }
  return errors;
}

function bytesOf(map: StringMap | null | undefined): number {
  let bytes = 0;
  for (const key in map) bytes += utf8Length(key) + utf8Length(map[key] ?? "");
  return bytes;
}
