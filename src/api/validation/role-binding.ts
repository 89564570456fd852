// Whom RoleBindings and ClusterRoleBindings may bind to what. Names that are missing come last, as in the API.

import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "../types.ts";
import { type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain, nameIsPathSegment } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { semanticEqual } from "./semantic-equal.ts";

export const rbacGroup = "rbac.authorization.k8s.io";

type Binding = RoleBinding | ClusterRoleBinding;

const rolePath = FieldPath.of("roleRef");
const subjectsPath = FieldPath.of("subjects");

export function validateRoleBinding(binding: RoleBinding): FieldError[] {
  return [...validateFields(binding, true), ...validateNames(binding)];
}

export function validateRoleBindingUpdate(binding: RoleBinding, old: RoleBinding): FieldError[] {
  return validateUpdate(binding, old, true);
}

export function validateClusterRoleBinding(binding: ClusterRoleBinding): FieldError[] {
  return [...validateFields(binding, false), ...validateNames(binding)];
}

export function validateClusterRoleBindingUpdate(
  binding: ClusterRoleBinding,
  old: ClusterRoleBinding,
): FieldError[] {
  return validateUpdate(binding, old, false);
}

function validateUpdate(binding: Binding, old: Binding, namespaced: boolean): FieldError[] {
  const errors = [
    ...validateFields(binding, namespaced),
    ...validateObjectMetaUpdate(binding.metadata, old.metadata),
  ];
  if (!semanticEqual(binding.roleRef, old.roleRef)) {
    errors.push(invalid(rolePath, shownRole(binding.roleRef), "field is immutable"));
  }
  return [...errors, ...validateNames(binding)];
}

function validateFields(binding: Binding, namespaced: boolean): FieldError[] {
  return [
    ...validateObjectMeta(binding.metadata, { namespaced, name: nameIsPathSegment }),
    ...validateRole(binding.roleRef, namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]),
    ...(binding.subjects ?? []).flatMap((subject, i) =>
      validateSubject(subject, namespaced, subjectsPath.index(i)),
    ),
  ];
}

function validateRole(role: RoleRef, kinds: readonly string[]): FieldError[] {
  const { apiGroup, kind, name } = role;
  const errors: FieldError[] = [];
  if (apiGroup !== rbacGroup) {
    errors.push(notSupported(rolePath.child("apiGroup"), apiGroup, [rbacGroup]));
  }
  if (!kinds.includes(kind)) errors.push(notSupported(rolePath.child("kind"), kind, kinds));
  for (const text of nameIsPathSegment(name, false)) {
    errors.push(invalid(rolePath.child("name"), name, text));
  }
  return errors;
}

function validateSubject(subject: Subject, namespaced: boolean, path: FieldPath): FieldError[] {
  const { kind, apiGroup = "" } = subject;
  switch (kind) {
    case "ServiceAccount":
      return validateServiceAccount(subject, namespaced, path);
    case "User":
    case "Group":
      if (apiGroup === rbacGroup) return [];
      return [notSupported(path.child("apiGroup"), apiGroup, [rbacGroup])];
    default:
      return [notSupported(path.child("kind"), kind, ["ServiceAccount", "User", "Group"])];
  }
}

function validateServiceAccount(
  { name, apiGroup = "", namespace = "" }: Subject,
  namespaced: boolean,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (name !== "") {
    for (const text of nameIsDnsSubdomain(name, false)) {
      errors.push(invalid(path.child("name"), name, text));
    }
  }
  if (apiGroup !== "") errors.push(notSupported(path.child("apiGroup"), apiGroup, [""]));
  if (!namespaced && namespace === "") errors.push(required(path.child("namespace")));
  return errors;
}

function validateNames({ subjects, roleRef }: Binding): FieldError[] {
  const errors = (subjects ?? []).flatMap(({ name }, i) =>
    name === "" ? [required(subjectsPath.index(i).child("name"))] : [],
  );
  return (roleRef.name ?? "") === "" ? [...errors, required(rolePath.child("name"))] : errors;
}

/** In the spelling that the API uses inside, which its message shows. */
function shownRole({ apiGroup, kind, name }: RoleRef): {
  APIGroup: string;
  Kind: string;
  Name: string;
} {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}
