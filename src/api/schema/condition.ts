// The shape of a condition that newer kinds share.

import { field, int64, required, string, type TypeSchema, time, type } from "./schema.ts";

export const condition: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
  "One finding about an object, and since when it holds",
  {
    type: field(1, string, "What is judged, in CamelCase", required),
    status: field(2, string, "True, False or Unknown", required),
    observedGeneration: field(3, int64, "The generation of the object that was judged"),
    lastTransitionTime: field(4, time, "When the status last flipped", required),
    reason: field(5, string, "One CamelCase word for programs", required),
    message: field(6, string, "A sentence for people", required),
  },
);
