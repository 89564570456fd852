// What is wrong with a volume, for the pods and the claim that use it.

import { field, oneOf, required, string, type TypeSchema, type } from "../schema.ts";

export const volumeHealthCondition: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeHealthCondition",
  "One fault of a volume",
  {
    status: field(1, oneOf("DataLoss", "Degraded", "Inaccessible"), "How bad it is", required),
    reason: field(2, string, "One word for programs", required),
    message: field(3, string, "A sentence for people"),
  },
);
