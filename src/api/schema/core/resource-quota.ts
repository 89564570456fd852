// ResourceQuota: caps for what a namespace may use in all.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  field,
  listOf,
  mapOf,
  oneOf,
  pointer,
  quantity,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

const resourceQuotaScope = oneOf(
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
);

const scopedResourceSelectorRequirement: TypeSchema = type(
  "io.k8s.api.core.v1.ScopedResourceSelectorRequirement",
  "One demand on a scope",
  {
    scopeName: field(1, resourceQuotaScope, "The scope", required),
    operator: field(
      2,
      oneOf("DoesNotExist", "Exists", "In", "NotIn"),
      "How scope and values relate",
      required,
    ),
    values: field(3, listOf(string), "For In and NotIn: the values meant"),
  },
);

const scopeSelector: TypeSchema = type(
  "io.k8s.api.core.v1.ScopeSelector",
  "Chooses objects by scope",
  {
    matchExpressions: field(1, listOf(ref(scopedResourceSelectorRequirement)), "All must hold"),
  },
  { atomic: true },
);

const resourceQuotaSpec: TypeSchema = type(
  "io.k8s.api.core.v1.ResourceQuotaSpec",
  "Caps, and what counts towards them",
  {
    hard: field(1, mapOf(quantity), "Cap by resource"),
    scopes: field(2, listOf(resourceQuotaScope), "Count only objects in all of these scopes"),
    scopeSelector: field(3, ref(scopeSelector), "Count only objects that it chooses", pointer),
  },
);

const resourceQuotaStatus: TypeSchema = type(
  "io.k8s.api.core.v1.ResourceQuotaStatus",
  "Caps in force and what is used",
  {
    hard: field(1, mapOf(quantity), "Cap by resource"),
    used: field(2, mapOf(quantity), "Use by resource"),
  },
);

export const resourceQuota: TypeSchema = type(
  "io.k8s.api.core.v1.ResourceQuota",
  "Caps what a namespace may use in all",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(resourceQuotaSpec), "The caps", always),
    status: field(3, ref(resourceQuotaStatus), "The caps and what is used", always),
  },
);
