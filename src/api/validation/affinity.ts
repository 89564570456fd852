// Where pods may run, and beside which others: node affinity, pod affinity, spreading over topologies.

import type {
  Affinity,
  LabelSelector,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateLabelName, validateLabelSelector } from "./labels.ts";
import { labelValue, nameIsDnsLabel, nameIsDnsSubdomain } from "./names.ts";
import type { Leniency } from "./pod-leniency.ts";

const requiredName = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredName = "preferredDuringSchedulingIgnoredDuringExecution";

export function validateAffinity(
  affinity: Affinity | null | undefined,
  leniency: Leniency,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(affinity)) return [];
  const errors: FieldError[] = [];
  const node = affinity.nodeAffinity;
  if (!isAbsent(node)) {
    const at = path.child("nodeAffinity");
    const selector = node[requiredName];
    if (!isAbsent(selector)) {
      const { nodeAffinityValues } = leniency;
      errors.push(...validateNodeSelector(selector, at.child(requiredName), nodeAffinityValues));
    }
    for (const [i, { weight, preference }] of list(node[preferredName]).entries()) {
      const term = at.child(preferredName).index(i);
      errors.push(...validateWeight(weight, term.child("weight")));
      errors.push(...validateNodeTerm(preference, term.child("preference"), true));
    }
  }
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    errors.push(...validatePodAffinity(affinity[kind], leniency, path.child(kind)));
  }
  return errors;
}

/** Also for volumes that are tied to nodes. `anyValues`: values need not be those that labels can have. */
export function validateNodeSelector(
  selector: NodeSelector,
  path: FieldPath,
  anyValues = false,
): FieldError[] {
  const at = path.child("nodeSelectorTerms");
  const terms = list(selector.nodeSelectorTerms);
  if (terms.length === 0) return [required(at, "must have at least one node selector term")];
  return terms.flatMap((term, i) => validateNodeTerm(term, at.index(i), anyValues));
}

export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | null | undefined,
  leniency: Leniency,
  path: FieldPath,
): FieldError[] {
  const all = list(constraints);
  return all.flatMap((constraint, i) => {
    const at = path.index(i);
    return [
      ...validateSpread(constraint, at),
      ...validateNotRepeated(constraint, all.slice(i + 1), at),
      ...validateMinDomains(constraint, at.child("minDomains")),
      ...(["nodeAffinityPolicy", "nodeTaintsPolicy"] as const).flatMap((name) =>
        validateInclusion(constraint[name], at.child(name)),
      ),
      ...validateLabelKeys({ ...constraint, mismatchLabelKeys: [] }, at),
      ...(leniency.spreadSelectors
        ? []
        : validateLabelSelector(constraint.labelSelector, at.child("labelSelector"))),
    ];
  });
}

function validatePodAffinity(
  affinity: Affinity["podAffinity"] | null,
  leniency: Leniency,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(affinity)) return [];
  return [
    ...list(affinity[requiredName]).flatMap((term, i) =>
      validatePodTerm(term, leniency, path.child(requiredName).index(i)),
    ),
    ...list(affinity[preferredName]).flatMap(({ weight, podAffinityTerm }, i) => {
      const at = path.child(preferredName).index(i);
      return [
        ...validateWeight(weight, at.child("weight")),
        ...validatePodTerm(podAffinityTerm, leniency, at.child("podAffinityTerm")),
      ];
    }),
  ];
}

function validatePodTerm(term: PodAffinityTerm, leniency: Leniency, path: FieldPath): FieldError[] {
  const options = { allowInvalidValues: leniency.affinitySelectorValues };
  const errors = [
    ...validateLabelSelector(term.labelSelector, path.child("labelSelector"), options),
    ...validateLabelSelector(term.namespaceSelector, path.child("namespaceSelector"), options),
    ...list(term.namespaces).flatMap((name) =>
      invalids(path.child("namespace"), name, nameIsDnsLabel(name, false)),
    ),
    ...validateLabelKeys(term, path),
  ];
  const key = path.child("topologyKey");
  if (term.topologyKey === "") errors.push(required(key, "can not be empty"));
  return [...errors, ...validateLabelName(term.topologyKey, key)];
}

function validateWeight(weight: number, path: FieldPath): FieldError[] {
  return weight > 0 && weight <= 100 ? [] : [invalid(path, weight, "must be in the range 1-100")];
}

function validateNodeTerm(
  term: NodeSelectorTerm,
  path: FieldPath,
  anyValues: boolean,
): FieldError[] {
  return [
    ...list(term.matchExpressions).flatMap((requirement, i) =>
      validateNodeRequirement(requirement, path.child("matchExpressions").index(i), anyValues),
    ),
    ...list(term.matchFields).flatMap((requirement, i) =>
      validateNodeField(requirement, path.child("matchFields").index(i)),
    ),
  ];
}

function validateNodeRequirement(
  { key, operator, values }: NodeSelectorRequirement,
  path: FieldPath,
  anyValues: boolean,
): FieldError[] {
  const given = list(values);
  const errors = validateNodeOperator(operator, given.length, path);
  errors.push(...validateLabelName(key, path.child("key")));
  if (anyValues) return errors;
  return [
    ...errors,
    ...given.flatMap((value, i) =>
      invalids(path.child("values").index(i), value, labelValue(value)),
    ),
  ];
}

function validateNodeOperator(operator: string, count: number, path: FieldPath): FieldError[] {
  const values = path.child("values");
  switch (operator) {
    case "In":
    case "NotIn": {
      const detail = "must be specified when `operator` is 'In' or 'NotIn'";
      return count === 0 ? [required(values, detail)] : [];
    }
    case "Exists":
    case "DoesNotExist": {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return count > 0 ? [forbidden(values, detail)] : [];
    }
    case "Gt":
    case "Lt": {
      const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
      return count === 1 ? [] : [required(values, detail)];
    }
    default:
      return [invalid(path.child("operator"), operator, "not a valid selector operator")];
  }
}

function validateNodeField(
  { key, operator, values }: NodeSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const given = list(values);
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalid(path.child("operator"), operator, "not a valid selector operator"));
  } else if (given.length !== 1) {
    const detail =
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(path.child("values"), detail));
  }
  if (key !== "metadata.name") {
    return [...errors, invalid(path.child("key"), key, "not a valid field selector key")];
  }
  return [
    ...errors,
    ...given.flatMap((value, i) =>
      invalids(path.child("values").index(i), value, nameIsDnsSubdomain(value, false)),
    ),
  ];
}

function validateSpread(constraint: TopologySpreadConstraint, path: FieldPath): FieldError[] {
  const { maxSkew, topologyKey, whenUnsatisfiable } = constraint;
  const actions = ["DoNotSchedule", "ScheduleAnyway"];
  const errors: FieldError[] = [];
  if (maxSkew <= 0) {
    errors.push(invalid(path.child("maxSkew"), maxSkew, "must be greater than zero"));
  }
  if (topologyKey === "") errors.push(required(path.child("topologyKey"), "can not be empty"));
  if (!actions.includes(whenUnsatisfiable)) {
    errors.push(notSupported(path.child("whenUnsatisfiable"), whenUnsatisfiable, actions));
  }
  return errors;
}

function validateNotRepeated(
  { topologyKey, whenUnsatisfiable }: TopologySpreadConstraint,
  others: readonly TopologySpreadConstraint[],
  path: FieldPath,
): FieldError[] {
  const isRepeated = others.some(
    (other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable,
  );
  if (!isRepeated) return [];
  const at = path.child("{topologyKey, whenUnsatisfiable}");
  return [duplicate(at, `{${topologyKey}, ${whenUnsatisfiable}}`)];
}

function validateMinDomains(
  { minDomains, whenUnsatisfiable }: TopologySpreadConstraint,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(minDomains)) return [];
  const errors = minDomains > 0 ? [] : [invalid(path, minDomains, "must be greater than zero")];
  if (whenUnsatisfiable === "DoNotSchedule") return errors;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [...errors, invalid(path, minDomains, detail)];
}

function validateInclusion(policy: string | null | undefined, path: FieldPath): FieldError[] {
  if (isAbsent(policy) || policy === "Honor" || policy === "Ignore") return [];
  return [notSupported(path, policy, ["Honor", "Ignore"])];
}

interface LabelKeys {
  readonly matchLabelKeys?: readonly string[] | null | undefined;
  readonly mismatchLabelKeys?: readonly string[] | null | undefined;
  readonly labelSelector?: LabelSelector | null | undefined;
}

/** Keys whose values come from the pod's own labels. */
function validateLabelKeys(keys: LabelKeys, path: FieldPath): FieldError[] {
  const match = list(keys.matchLabelKeys);
  const mismatch = list(keys.mismatchLabelKeys);
  return [
    ...(["matchLabelKeys", "mismatchLabelKeys"] as const).flatMap((name) =>
      validateKeyNames(list(keys[name]), keys.labelSelector, path.child(name)),
    ),
    ...repeatedInSelector(match, keys.labelSelector).map(([i, key]) =>
      invalid(path.index(i), key, "exists in both matchLabelKeys and labelSelector"),
    ),
    ...match.flatMap((key, i) => {
      const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
      const at = path.child("matchLabelKeys").index(i);
      return mismatch.includes(key) ? [invalid(at, key, detail)] : [];
    }),
  ];
}

function validateKeyNames(
  names: readonly string[],
  selector: LabelSelector | null | undefined,
  path: FieldPath,
): FieldError[] {
  if (names.length === 0) return [];
  if (isAbsent(selector)) {
    return [forbidden(path, "must not be specified when labelSelector is not set")];
  }
  return names.flatMap((name, i) => validateLabelName(name, path.index(i)));
}

/** Keys are merged into the selector, once each: a key that the selector has twice was there before. */
function repeatedInSelector(
  keys: readonly string[],
  selector: LabelSelector | null | undefined,
): [number, string][] {
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  const repeated: [number, string][] = [];
  for (const expression of list(selector?.matchExpressions)) {
    const key = text(expression.key);
    const i = keys.lastIndexOf(key);
    if (i !== -1 && seen.has(key)) repeated.push([i, key]);
    seen.add(key);
  }
  return repeated;
}
