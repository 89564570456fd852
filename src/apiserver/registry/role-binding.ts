// RoleBindings and ClusterRoleBindings.

import { setRoleBindingDefaults } from "../../api/defaults/role-binding.ts";
import type { ClusterRoleBinding, RoleBinding } from "../../api/types.ts";
import {
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from "../../api/validation/role-binding.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const roleBindingStrategy: Strategy = kindStrategy<RoleBinding>(
  "rbac.authorization.k8s.io/v1",
  "RoleBinding",
  {
    createsOnUpdate: true,
    setDefaults: setRoleBindingDefaults,
    validate: validateRoleBinding,
    validateUpdate: validateRoleBindingUpdate,
  },
);

export const clusterRoleBindingStrategy: Strategy = kindStrategy<ClusterRoleBinding>(
  "rbac.authorization.k8s.io/v1",
  "ClusterRoleBinding",
  {
    createsOnUpdate: true,
    setDefaults: setRoleBindingDefaults,
    validate: validateClusterRoleBinding,
    validateUpdate: validateClusterRoleBindingUpdate,
  },
);
