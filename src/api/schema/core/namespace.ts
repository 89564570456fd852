// Namespace: a space for names, emptied before it vanishes.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  byKey,
  field,
  listOf,
  oneOf,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";

const namespaceSpec: TypeSchema = type(
  "io.k8s.api.core.v1.NamespaceSpec",
  "What a namespace should be",
  {
    finalizers: field(1, listOf(string), "Who must empty it before it may vanish"),
  },
);

const namespaceCondition: TypeSchema = type(
  "io.k8s.api.core.v1.NamespaceCondition",
  "One finding about a namespace",
  {
    type: field(1, string, "What is judged", required),
    status: field(2, string, "True, False or Unknown", required),
    lastTransitionTime: field(4, time, "When the status last flipped", always),
    reason: field(5, string, "One CamelCase word for programs"),
    message: field(6, string, "A sentence for people"),
  },
);

const namespaceStatus: TypeSchema = type(
  "io.k8s.api.core.v1.NamespaceStatus",
  "What a namespace is",
  {
    phase: field(
      1,
      oneOf("Active", "Terminating"),
      "Active, or Terminating once deletion was asked for",
    ),
    conditions: field(2, listOf(ref(namespaceCondition), byKey("type")), "How its deletion goes"),
  },
);

export const namespace: TypeSchema = type("io.k8s.api.core.v1.Namespace", "A space for names", {
  ...typeMeta,
  metadata,
  spec: field(2, ref(namespaceSpec), "What should be", always),
  status: field(3, ref(namespaceStatus), "What is", always),
});
