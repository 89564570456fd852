// What Roles and ClusterRoles may allow. Rules that only say what is missing come last, as in the API.

import type { ClusterRole, PolicyRule, Role } from "../types.ts";
import { type FieldError, invalid, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { labelMatcher } from "./label-selector.ts";
import { validateLabelSelector } from "./labels.ts";
import { nameIsPathSegment } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const rulesPath = FieldPath.of("rules");
const selectorsPath = FieldPath.of("aggregationRule", "clusterRoleSelectors");

export function validateRole(role: Role): FieldError[] {
  return [...validateRoleFields(role), ...validateVerbs(role)];
}

export function validateRoleUpdate(role: Role, old: Role): FieldError[] {
  return [
    ...validateRoleFields(role),
    ...validateObjectMetaUpdate(role.metadata, old.metadata),
    ...validateVerbs(role),
  ];
}

export function validateClusterRole(role: ClusterRole): FieldError[] {
  return [...validateClusterRoleFields(role, false), ...validateVerbs(role)];
}

export function validateClusterRoleUpdate(role: ClusterRole, old: ClusterRole): FieldError[] {
  return [
    ...validateClusterRoleFields(role, validateSelectors(old, false).length > 0),
    ...validateObjectMetaUpdate(role.metadata, old.metadata),
    ...validateVerbs(role),
  ];
}

function validateRoleFields(role: Role): FieldError[] {
  return [
    ...validateObjectMeta(role.metadata, { namespaced: true, name: nameIsPathSegment }),
    ...(role.rules ?? []).flatMap((rule, i) => validateRule(rule, true, rulesPath.index(i))),
  ];
}

function validateClusterRoleFields(role: ClusterRole, allowInvalidValues: boolean): FieldError[] {
  return [
    ...validateObjectMeta(role.metadata, { namespaced: false, name: nameIsPathSegment }),
    ...(role.rules ?? []).flatMap((rule, i) => validateRule(rule, false, rulesPath.index(i))),
    ...validateSelectors(role, allowInvalidValues),
  ];
}

function validateRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldError[] {
  const { nonResourceURLs, apiGroups, resources, resourceNames } = rule;
  const errors: FieldError[] = [];
  if (nonResourceURLs !== undefined && nonResourceURLs.length > 0) {
    const at = path.child("nonResourceURLs");
    if (namespaced) {
      const text = "namespaced rules cannot apply to non-resource URLs";
      errors.push(invalid(at, nonResourceURLs, text));
    }
    if ([apiGroups, resources, resourceNames].some(hasItems)) {
      const text = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalid(at, nonResourceURLs, text));
    }
    return errors;
  }
  if (!hasItems(apiGroups)) {
    const text = "resource rules must supply at least one api group";
    errors.push(required(path.child("apiGroups"), text));
  }
  if (!hasItems(resources)) {
    const text = "resource rules must supply at least one resource";
    errors.push(required(path.child("resources"), text));
  }
  return errors;
}

function validateVerbs({
  rules,
}: {
  readonly rules?: readonly PolicyRule[] | null | undefined;
}): FieldError[] {
  return (rules ?? []).flatMap(({ verbs }, i) =>
    hasItems(verbs) ? [] : [required(rulesPath.index(i).child("verbs"))],
  );
}

function validateSelectors(role: ClusterRole, allowInvalidValues: boolean): FieldError[] {
  if (role.aggregationRule === undefined) return [];
  const selectors = role.aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    const text = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    return [required(selectorsPath, text)];
  }
  return selectors.flatMap((selector, i) => {
    const path = selectorsPath.index(i);
    const errors = validateLabelSelector(selector, path, { allowInvalidValues });
    // The API shows what became of the selector, which is nothing.
    if (labelMatcher(selector) === undefined) {
      errors.push(invalid(path, null, "invalid label selector."));
    }
    return errors;
  });
}

function hasItems(list: readonly string[] | null | undefined): boolean {
  return list !== undefined && list !== null && list.length > 0;
}
