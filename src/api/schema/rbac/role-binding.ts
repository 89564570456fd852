// Who may do it: subjects, bound to one role.

import { metadata, typeMeta } from "../meta.ts";
import { always, field, listOf, ref, required, string, type TypeSchema, type } from "../schema.ts";

const subject: TypeSchema = type(
  "io.k8s.api.rbac.v1.Subject",
  "A user, group or service account",
  {
    kind: field(1, string, "User, Group or ServiceAccount", required),
    apiGroup: field(2, string, "Of the kind"),
    name: field(3, string, "Who", required),
    namespace: field(4, string, "Of a service account"),
  },
  { atomic: true },
);

const roleRef: TypeSchema = type(
  "io.k8s.api.rbac.v1.RoleRef",
  "A role",
  {
    apiGroup: field(1, string, "Of the kind", always),
    kind: field(2, string, "Role or ClusterRole", required),
    name: field(3, string, "Of the role", required),
  },
  { atomic: true },
);

export const roleBinding: TypeSchema = type(
  "io.k8s.api.rbac.v1.RoleBinding",
  "Gives a role to someone in one namespace",
  {
    ...typeMeta,
    metadata,
    subjects: field(2, listOf(ref(subject)), "Who gets it"),
    roleRef: field(3, ref(roleRef), "The role; never changes", required),
  },
);

export const clusterRoleBinding: TypeSchema = type(
  "io.k8s.api.rbac.v1.ClusterRoleBinding",
  "Gives a cluster role to someone everywhere",
  {
    ...typeMeta,
    metadata,
    subjects: field(2, listOf(ref(subject)), "Who gets it"),
    roleRef: field(3, ref(roleRef), "The role; never changes", required),
  },
);
