// When a Job gives up, and when it is content: podFailurePolicy and successPolicy.

import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "../types.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  invalidWithoutValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { countIndexes } from "./job-indexes.ts";
import { qualifiedName } from "./names.ts";
import { nonNegative } from "./object-meta.ts";
import { exceedsBytes } from "./utf8-length.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];
const maxRules = 20;
const maxPatterns = 20;
const maxExitCodes = 255;
const maxIndexesBytes = 64 * 1024;

export function validatePodFailurePolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const at = path.child("rules");
  return [
    ...(rules.length > maxRules ? [tooMany(at, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, i) => validateFailureRule(spec, rule, at.index(i))),
  ];
}

export function validateSuccessPolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const rules = spec.successPolicy?.rules ?? [];
  const at = path.child("rules");
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    const text = "at least one rules must be specified when the successPolicy is specified";
    errors.push(required(at, text));
  }
  if (rules.length > maxRules) errors.push(tooMany(at, rules.length, maxRules));
  return [
    ...errors,
    ...rules.flatMap((rule, i) => validateSuccessRule(spec.completions ?? 0, rule, at.index(i))),
  ];
}

function validateFailureRule(
  spec: JobSpec,
  rule: PodFailurePolicyRule,
  path: FieldPath,
): FieldError[] {
  const { action, onExitCodes } = rule;
  const patterns = rule.onPodConditions ?? [];
  const errors = validateAction(action, spec, path.child("action"));
  if (onExitCodes !== undefined) {
    errors.push(...validateExitCodes(onExitCodes, spec, path.child("onExitCodes")));
  }
  errors.push(...validatePatterns(patterns, path.child("onPodConditions")));
  if (onExitCodes !== undefined && patterns.length > 0) {
    const text = "specifying both OnExitCodes and OnPodConditions is not supported";
    errors.push(invalidWithoutValue(path, text));
  }
  if (onExitCodes === undefined && patterns.length === 0) {
    const text = "specifying one of OnExitCodes and OnPodConditions is required";
    errors.push(invalidWithoutValue(path, text));
  }
  return errors;
}

function validateAction(action: string, spec: JobSpec, path: FieldPath): FieldError[] {
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    return [invalid(path, action, "requires the backoffLimitPerIndex to be set")];
  }
  return validateWord(action, actions, path);
}

/** A word that has to be there and to be one of `words`. */
function validateWord(word: string, words: readonly string[], path: FieldPath): FieldError[] {
  if (word === "") {
    const listed = words.map((each) => JSON.stringify(each)).join(" ");
    return [required(path, `valid values: [${listed}]`)];
  }
  return words.includes(word) ? [] : [notSupported(path, word, words)];
}

function validatePatterns(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: FieldPath,
): FieldError[] {
  return [
    ...(patterns.length > maxPatterns ? [tooMany(path, patterns.length, maxPatterns)] : []),
    ...patterns.flatMap(({ type, status }, i) => [
      ...qualifiedName(type).map((text) => invalid(path.index(i).child("type"), type, text)),
      ...validateWord(status, statuses, path.index(i).child("status")),
    ]),
  ];
}

function validateExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  spec: JobSpec,
  path: FieldPath,
): FieldError[] {
  const errors = validateWord(operator, operators, path.child("operator"));
  const names = containerNames(spec);
  if (containerName !== undefined && !names.includes(containerName)) {
    const text = "must be one of the container or initContainer names in the pod template";
    errors.push(invalid(path.child("containerName"), containerName, text));
  }
  return [...errors, ...validateCodes(values ?? [], operator, path.child("values"))];
}

function containerNames({ template }: JobSpec): readonly string[] {
  const { containers, initContainers } = template.spec;
  return [...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name);
}

function validateCodes(codes: readonly number[], operator: string, path: FieldPath): FieldError[] {
  if (codes.length === 0) return [invalid(path, null, "at least one value is required")];
  const errors = codes.length > maxExitCodes ? [tooMany(path, codes.length, maxExitCodes)] : [];
  for (const [i, code] of codes.entries()) {
    if (operator === "In" && code === 0) {
      errors.push(invalid(path.index(i), code, "must not be 0 for the In operator"));
    }
    if (codes.indexOf(code) < i) errors.push(duplicate(path.index(i), code));
  }
  if (codes.some((code, i) => i > 0 && (codes[i - 1] ?? 0) > code)) {
    errors.push(invalid(path, [...codes], "must be ordered"));
  }
  return errors;
}

function validateSuccessRule(
  completions: number,
  { succeededCount: count, succeededIndexes: indexes }: SuccessPolicyRule,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (count === undefined && indexes === undefined) {
    const text = "at least one of succeededCount or succeededIndexes must be specified";
    errors.push(required(path, text));
  }
  const counted = countIndexes(indexes ?? "", completions);
  const at = path.child("succeededIndexes");
  if (exceedsBytes(indexes ?? "", maxIndexesBytes)) errors.push(tooLong(at, maxIndexesBytes));
  if (counted.error !== undefined) {
    const text = `error parsing succeededIndexes: ${counted.error}`;
    errors.push(invalid(at, indexes, text));
  }
  if (count === undefined) return errors;
  const countPath = path.child("succeededCount");
  errors.push(...nonNegative(count, countPath));
  if (count > completions) {
    const text = `must be less than or equal to ${completions} (the number of specified completions)`;
    errors.push(invalid(countPath, count, text));
  }
  if (indexes !== undefined && count > counted.total) {
    const text = `must be less than or equal to ${counted.total} (the number of indexes in the specified succeededIndexes field)`;
    errors.push(invalid(countPath, count, text));
  }
  return errors;
}
