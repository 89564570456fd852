// Roles and ClusterRoles.

import type { ClusterRole, Role } from "../../api/types.ts";
import {
  validateClusterRole,
  validateClusterRoleUpdate,
  validateRole,
  validateRoleUpdate,
} from "../../api/validation/role.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const roleStrategy: Strategy = kindStrategy<Role>("rbac.authorization.k8s.io/v1", "Role", {
  createsOnUpdate: true,
  validate: validateRole,
  validateUpdate: validateRoleUpdate,
});

export const clusterRoleStrategy: Strategy = kindStrategy<ClusterRole>(
  "rbac.authorization.k8s.io/v1",
  "ClusterRole",
  {
    createsOnUpdate: true,
    validate: validateClusterRole,
    validateUpdate: validateClusterRoleUpdate,
  },
);
