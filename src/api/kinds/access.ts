// Kinds that say, or ask, who someone is and what they may do.

import type { Kind } from "../kind.ts";
import { selfSubjectReview } from "../schema/authentication/self-subject-review.ts";
import { tokenReview } from "../schema/authentication/token-review.ts";
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from "../schema/authorization/access-review.ts";
import { selfSubjectRulesReview } from "../schema/authorization/rules-review.ts";
import { clusterRole, role } from "../schema/rbac/role.ts";
import { clusterRoleBinding, roleBinding } from "../schema/rbac/role-binding.ts";
import { inGroup } from "./entry.ts";

export const authenticationKinds: readonly Kind[] = inGroup("authentication.k8s.io", [
  {
    kind: "SelfSubjectReview",
    resource: "selfsubjectreviews",
    schema: selfSubjectReview,
    clusterWide: true,
    verbs: ["create"],
  },
  {
    kind: "TokenReview",
    resource: "tokenreviews",
    schema: tokenReview,
    clusterWide: true,
    verbs: ["create"],
  },
]);

export const authorizationKinds: readonly Kind[] = inGroup("authorization.k8s.io", [
  {
    kind: "LocalSubjectAccessReview",
    resource: "localsubjectaccessreviews",
    schema: localSubjectAccessReview,
    verbs: ["create"],
  },
  {
    kind: "SelfSubjectAccessReview",
    resource: "selfsubjectaccessreviews",
    schema: selfSubjectAccessReview,
    clusterWide: true,
    verbs: ["create"],
  },
  {
    kind: "SelfSubjectRulesReview",
    resource: "selfsubjectrulesreviews",
    schema: selfSubjectRulesReview,
    clusterWide: true,
    verbs: ["create"],
  },
  {
    kind: "SubjectAccessReview",
    resource: "subjectaccessreviews",
    schema: subjectAccessReview,
    clusterWide: true,
    verbs: ["create"],
  },
]);

export const rbacKinds: readonly Kind[] = inGroup("rbac.authorization.k8s.io", [
  {
    kind: "ClusterRoleBinding",
    resource: "clusterrolebindings",
    schema: clusterRoleBinding,
    clusterWide: true,
  },
  { kind: "ClusterRole", resource: "clusterroles", schema: clusterRole, clusterWide: true },
  { kind: "RoleBinding", resource: "rolebindings", schema: roleBinding },
  { kind: "Role", resource: "roles", schema: role },
]);
