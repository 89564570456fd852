// The roles and bindings that a server starts with.

import { controllerRoles } from "./controller-roles.ts";
import { type PolicyObject, policyObjects } from "./policy-entry.ts";
import { systemRoles } from "./system-roles.ts";
import { userRoles } from "./user-roles.ts";

export const builtInPolicy: readonly PolicyObject[] = policyObjects([
  ...userRoles,
  ...systemRoles,
  ...controllerRoles,
]);
