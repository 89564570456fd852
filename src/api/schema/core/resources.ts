// How much a container or pod may use.

import {
  field,
  listOf,
  mapOf,
  quantity,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

const resourceClaim: TypeSchema = type(
  "io.k8s.api.core.v1.ResourceClaim",
  "A claim of the pod, used here",
  {
    name: field(1, string, "Of the claim in the pod's spec", required),
    request: field(2, string, "One request of the claim; all if empty"),
  },
);

export const resourceRequirements: TypeSchema = type(
  "io.k8s.api.core.v1.ResourceRequirements",
  "How much of each resource is asked for and allowed",
  {
    limits: field(1, mapOf(quantity), "At most this much"),
    requests: field(2, mapOf(quantity), "At least this much, also for choosing a node"),
    claims: field(
      3,
      listOf(ref(resourceClaim), { keys: ["name"] }),
      "Claims of the pod that the container uses",
    ),
  },
);
