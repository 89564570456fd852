// What may be done: rules, for one namespace or for all.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  field,
  listOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";

const policyRule: TypeSchema = type("io.k8s.api.rbac.v1.PolicyRule", "Something that is allowed", {
  verbs: field(1, listOf(string), "What may be done; * is everything", required),
  apiGroups: field(2, listOf(string), "In these groups; * is all"),
  resources: field(3, listOf(string), "To these resources; * is all"),
  resourceNames: field(4, listOf(string), "Only to objects with these names; to all if empty"),
  nonResourceURLs: field(5, listOf(string), "On these paths instead; * at the end is any rest"),
});

export const role: TypeSchema = type(
  "io.k8s.api.rbac.v1.Role",
  "What may be done in one namespace",
  {
    ...typeMeta,
    metadata,
    rules: field(2, listOf(ref(policyRule)), "What is allowed; nothing is forbidden", always),
  },
);

const aggregationRule: TypeSchema = type(
  "io.k8s.api.rbac.v1.AggregationRule",
  "From which roles rules are collected",
  {
    clusterRoleSelectors: field(1, listOf(ref(labelSelector)), "Roles that any of these chooses"),
  },
);

export const clusterRole: TypeSchema = type(
  "io.k8s.api.rbac.v1.ClusterRole",
  "What may be done in every namespace, or in the cluster as such",
  {
    ...typeMeta,
    metadata,
    rules: field(2, listOf(ref(policyRule)), "What is allowed; nothing is forbidden", always),
    aggregationRule: field(
      3,
      ref(aggregationRule),
      "The rules are collected from other roles",
      pointer,
    ),
  },
);
