// Tolerations of pods and taints of nodes.

import type { Taint, Toleration } from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateLabelName } from "./labels.ts";
import { labelValue } from "./names.ts";
import { semanticEqual } from "./semantic-equal.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(
  tolerations: readonly Toleration[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  return list(tolerations).flatMap((toleration, i) => {
    const at = path.index(i);
    return [
      ...validateKey(toleration, at),
      ...validateSeconds(toleration, at),
      ...validateOperator(toleration, at),
      ...validateEffect(text(toleration.effect), at.child("effect"), { mayBeEmpty: true }),
    ];
  });
}

/** An update may add tolerations and change how long they last, and nothing else. */
export function validateAddedTolerations(
  tolerations: readonly Toleration[] | null | undefined,
  old: readonly Toleration[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  const isKept = (before: Toleration) =>
    list(tolerations).some((toleration) =>
      semanticEqual(withoutSeconds(before), withoutSeconds(toleration)),
    );
  if (!list(old).every(isKept)) {
    const detail = "existing toleration can not be modified except its tolerationSeconds";
    return [forbidden(path, detail)];
  }
  return validateTolerations(tolerations, path);
}

export function validateTaints(
  taints: readonly Taint[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return list(taints).flatMap((taint, i) => {
    const at = path.index(i);
    const value = text(taint.value);
    const errors = validateLabelName(taint.key, at.child("key"));
    const details = labelValue(value);
    if (details.length > 0) errors.push(invalid(at.child("value"), value, details.join(";")));
    errors.push(...validateEffect(taint.effect, at.child("effect"), { mayBeEmpty: false }));
    const identity = `${taint.effect}/${taint.key}`;
    if (seen.has(identity)) errors.push(repeatedTaint(taint, at));
    seen.add(identity);
    return errors;
  });
}

function repeatedTaint(taint: Taint, path: FieldPath): FieldError {
  const shown = JSON.stringify({
    Key: taint.key,
    Value: text(taint.value),
    Effect: taint.effect,
    TimeAdded: taint.timeAdded ?? null,
  });
  return {
    reason: "FieldValueDuplicate",
    message: `Duplicate value: ${shown}: taints must be unique by key and effect pair`,
    field: path.toString(),
  };
}

function withoutSeconds(toleration: Toleration): Toleration {
  const { tolerationSeconds: _, ...rest } = toleration;
  return rest;
}

function validateKey(toleration: Toleration, path: FieldPath): FieldError[] {
  const key = text(toleration.key);
  if (key !== "") return validateLabelName(key, path.child("key"));
  const operator = text(toleration.operator);
  if (operator === "Exists") return [];
  const detail =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return [invalid(path.child("operator"), operator, detail)];
}

function validateSeconds(toleration: Toleration, path: FieldPath): FieldError[] {
  const effect = text(toleration.effect);
  if (isAbsent(toleration.tolerationSeconds) || effect === "NoExecute") return [];
  const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
  return [invalid(path.child("effect"), effect, detail)];
}

function validateOperator(toleration: Toleration, path: FieldPath): FieldError[] {
  const at = path.child("operator");
  const value = text(toleration.value);
  const operator = text(toleration.operator);
  switch (operator) {
    case "Equal":
    case "": {
      const details = labelValue(value);
      return details.length === 0 ? [] : [invalid(at, value, details.join(";"))];
    }
    case "Exists":
      if (value === "") return [];
      return [invalid(at, value, "value must be empty when `operator` is 'Exists'")];
    case "Lt":
    case "Gt":
      return [notSupported(at, operator, ["Equal", "Exists", "Lt", "Gt"])];
    default:
      return [notSupported(at, operator, ["Equal", "Exists"])];
  }
}

function validateEffect(
  effect: string,
  path: FieldPath,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): FieldError[] {
  if (effect === "") return mayBeEmpty ? [] : [required(path)];
  return effects.includes(effect) ? [] : [notSupported(path, effect, effects)];
}
