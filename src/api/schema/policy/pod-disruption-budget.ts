// PodDisruptionBudget: how many pods may be evicted at once.

import { condition } from "../condition.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  byKey,
  field,
  int32,
  int64,
  intOrString,
  listOf,
  mapOf,
  oneOf,
  pointer,
  ref,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";

const podDisruptionBudgetSpec: TypeSchema = type(
  "io.k8s.api.policy.v1.PodDisruptionBudgetSpec",
  "Which pods, and how many must stay",
  {
    minAvailable: field(1, intOrString, "How many must stay", pointer),
    selector: field(2, ref(labelSelector), "Labels of the pods", pointer),
    maxUnavailable: field(3, intOrString, "How many may be missing", pointer),
    unhealthyPodEvictionPolicy: field(
      4,
      oneOf("AlwaysAllow", "IfHealthyBudget"),
      "Whether pods that are not well may go anyway",
      pointer,
    ),
  },
);

const podDisruptionBudgetStatus: TypeSchema = type(
  "io.k8s.api.policy.v1.PodDisruptionBudgetStatus",
  "How many evictions are left",
  {
    observedGeneration: field(1, int64, "Generation of the object that this is about"),
    disruptedPods: field(2, mapOf(time), "Pods whose eviction was allowed and is not seen yet"),
    disruptionsAllowed: field(3, int32, "How many may be evicted now", always),
    currentHealthy: field(4, int32, "Pods that are well", always),
    desiredHealthy: field(5, int32, "Pods that must be well", always),
    expectedPods: field(6, int32, "Pods in all", always),
    conditions: field(7, listOf(ref(condition), byKey("type")), "Latest findings, one per type"),
  },
);

export const podDisruptionBudget: TypeSchema = type(
  "io.k8s.api.policy.v1.PodDisruptionBudget",
  "How many pods may be evicted at once",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(podDisruptionBudgetSpec), "What should be", always),
    status: field(3, ref(podDisruptionBudgetStatus), "What is", always),
  },
);
