// Roles, users and groups are those of RBAC when nothing else is said.

import type { ClusterRoleBinding, RoleBinding } from "../types.ts";
import { rbacGroup } from "../validation/role-binding.ts";

/** Changes the object. */
export function setRoleBindingDefaults(binding: RoleBinding | ClusterRoleBinding): void {
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
  }
}
