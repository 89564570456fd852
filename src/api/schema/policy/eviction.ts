// Eviction: a deletion of a pod that asks the budget first.

import { metadata, typeMeta } from "../meta.ts";
import { deleteOptions } from "../options.ts";
import { field, pointer, ref, type TypeSchema, type } from "../schema.ts";

export const eviction: TypeSchema = type(
  "io.k8s.api.policy.v1.Eviction",
  "Asks for a pod to go, if the budget allows",
  {
    ...typeMeta,
    metadata,
    deleteOptions: field(2, ref(deleteOptions), "How to delete it", pointer),
  },
);
