// What a DeliveryPolicy may ask for.

import type {
  DeliveryCheck,
  DeliveryPolicy,
  DeliveryPolicySpec,
  ReloadAction,
  RolloutStep,
} from "../types.ts";
import { validateConditions } from "./conditions.ts";
import { validateNonNegative } from "./counts.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import {
  type IntOrString,
  intOrPercentNumber,
  validateNotMoreThan100Percent,
  validatePositiveIntOrPercent,
} from "./int-or-percent.ts";
import { hasInvalidSelectorValue, validateLabelSelector } from "./labels.ts";
import { dns1123Label, nameIsDnsSubdomain, portName, portNumber } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const specPath = FieldPath.of("spec");
const statusPath = FieldPath.of("status");
const kinds = ["ConfigMap", "Secret"];
const formats = ["INI", "JSON", "Properties", "TOML", "YAML"];
const rollbacks = ["Automatic", "Manual"];
const methods = ["GET", "POST", "PUT"];
/** By action: the field that says how. */
const details: ReadonlyMap<string, "command" | "http" | "signal" | undefined> = new Map([
  ["Exec", "command"],
  ["HTTP", "http"],
  ["None", undefined],
  ["Restart", undefined],
  ["Signal", "signal"],
] as const);

export function validateDeliveryPolicy(policy: DeliveryPolicy): FieldError[] {
  return [
    ...validateObjectMeta(policy.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(policy.spec, false),
  ];
}

export function validateDeliveryPolicyUpdate(
  policy: DeliveryPolicy,
  old: DeliveryPolicy,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(policy.metadata, old.metadata),
    ...validateSpec(policy.spec, hasInvalidSelectorValue(old.spec.selector)),
  ];
}

export function validateDeliveryPolicyStatusUpdate(
  policy: DeliveryPolicy,
  old: DeliveryPolicy,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(policy.metadata, old.metadata),
    ...validateNonNegative(policy.status, ["observedGeneration", "step"], statusPath),
    ...validateConditions(policy.status.conditions ?? [], statusPath.child("conditions")),
  ];
}

function validateSpec(spec: DeliveryPolicySpec, allowInvalidValues: boolean): FieldError[] {
  return [
    ...validateChoice(spec, allowInvalidValues),
    ...validateNamed(spec.checks ?? [], specPath.child("checks"), validateCheck),
    ...validateSteps(spec.rollout?.steps ?? [], specPath.child("rollout", "steps")),
    ...validateHealth(spec),
    ...validateOutcome(spec),
    ...validateNamed(spec.reload ?? [], specPath.child("reload"), validateReload),
  ];
}

function validateChoice(
  { selector, kinds: chosen }: DeliveryPolicySpec,
  allowInvalidValues: boolean,
): FieldError[] {
  const path = specPath.child("selector");
  const errors =
    selector === undefined || selector === null
      ? [required(path)]
      : validateLabelSelector(selector, path, { allowInvalidValues });
  for (const [i, kind] of (chosen ?? []).entries()) {
    const at = specPath.child("kinds").index(i);
    if (!kinds.includes(kind)) errors.push(notSupported(at, kind, kinds));
  }
  return errors;
}

function validateOutcome({ rollback, confirm }: DeliveryPolicySpec): FieldError[] {
  const errors: FieldError[] = [];
  if (rollback !== undefined && !rollbacks.includes(rollback)) {
    errors.push(notSupported(specPath.child("rollback"), rollback, rollbacks));
  }
  if (confirm !== undefined && confirm.timeoutSeconds <= 0) {
    const at = specPath.child("confirm", "timeoutSeconds");
    errors.push(invalid(at, confirm.timeoutSeconds, "must be greater than 0"));
  }
  return errors;
}

function validateNamed<T extends { readonly name: string }>(
  items: readonly T[],
  path: FieldPath,
  validate: (item: T, path: FieldPath) => FieldError[],
): FieldError[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const at = path.index(i);
    const errors =
      item.name === ""
        ? [required(at.child("name"))]
        : invalids(at.child("name"), item.name, dns1123Label(item.name));
    if (seen.has(item.name)) errors.push(duplicate(at.child("name"), item.name));
    seen.add(item.name);
    return [...errors, ...validate(item, at)];
  });
}

function validateCheck({ format, schema }: DeliveryCheck, path: FieldPath): FieldError[] {
  if (format !== undefined && !formats.includes(format)) {
    return [notSupported(path.child("format"), format, formats)];
  }
  if (format === undefined && schema === undefined) {
    return [required(path, "must specify `format` or `schema`")];
  }
  return [];
}

/** Each step reaches more pods than the one before, as far as the two can be compared. */
function validateSteps(steps: readonly RolloutStep[], path: FieldPath): FieldError[] {
  return steps.flatMap((step, i) => {
    const at = path.index(i).child("pods");
    const errors = validateCount(step.pods, at);
    if (errors.length === 0 && intOrPercentNumber(step.pods) === 0) {
      errors.push(invalid(at, step.pods, "must be greater than 0"));
    }
    const before = steps[i - 1]?.pods;
    if (before !== undefined && !isMore(step.pods, before)) {
      errors.push(invalid(at, step.pods, "must be more than in the step before"));
    }
    return [...errors, ...validateNonNegative(step, ["pauseSeconds"], path.index(i))];
  });
}

function isMore(value: IntOrString, before: IntOrString): boolean {
  if (typeof value !== typeof before) return true;
  return intOrPercentNumber(value) > intOrPercentNumber(before);
}

function validateHealth({ health }: DeliveryPolicySpec): FieldError[] {
  if (health === undefined) return [];
  const path = specPath.child("health");
  const { minReady } = health;
  return [
    ...validateNonNegative(health, ["timeoutSeconds", "maxRestarts"], path),
    ...(minReady === undefined ? [] : validateCount(minReady, path.child("minReady"))),
  ];
}

function validateCount(value: IntOrString, path: FieldPath): FieldError[] {
  return [
    ...validatePositiveIntOrPercent(value, path),
    ...validateNotMoreThan100Percent(value, path),
  ];
}

function validateReload(action: ReloadAction, path: FieldPath): FieldError[] {
  const { how, timeoutSeconds } = action;
  if (!details.has(how)) {
    return [notSupported(path.child("how"), how, [...details.keys()])];
  }
  const wanted = details.get(how);
  const errors: FieldError[] = [];
  for (const field of ["signal", "http", "command"] as const) {
    const isThere = action[field] !== undefined;
    const at = path.child(field);
    if (field === wanted && !isThere) errors.push(required(at, `when \`how\` is '${how}'`));
    if (field !== wanted && isThere) {
      errors.push(forbidden(at, `may not be specified when \`how\` is '${how}'`));
    }
  }
  if (timeoutSeconds !== undefined && timeoutSeconds <= 0) {
    errors.push(invalid(path.child("timeoutSeconds"), timeoutSeconds, "must be greater than 0"));
  }
  return [...errors, ...validateRequest(action, path.child("http"))];
}

function validateRequest({ http }: ReloadAction, path: FieldPath): FieldError[] {
  if (http === undefined) return [];
  const { port, path: url = "/", method = "POST" } = http;
  const errors = invalids(
    path.child("port"),
    port,
    typeof port === "number" ? portNumber(port) : portName(port),
  );
  if (!url.startsWith("/"))
    errors.push(invalid(path.child("path"), url, "must be an absolute path"));
  if (!methods.includes(method)) errors.push(notSupported(path.child("method"), method, methods));
  return errors;
}
