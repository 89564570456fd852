// ComponentStatus: whether the parts of the control plane are well. Only read, and only for old clients.

import { metadata, typeMeta } from "../meta.ts";
import { field, listOf, ref, required, string, type TypeSchema, type } from "../schema.ts";

const componentCondition: TypeSchema = type(
  "io.k8s.api.core.v1.ComponentCondition",
  "One finding about a part of the control plane",
  {
    type: field(1, string, "Healthy", required),
    status: field(2, string, "True, False or Unknown", required),
    message: field(3, string, "What was found"),
    error: field(4, string, "Why it is not well"),
  },
);

export const componentStatus: TypeSchema = type(
  "io.k8s.api.core.v1.ComponentStatus",
  "Whether a part of the control plane is well; /readyz says it better",
  {
    ...typeMeta,
    metadata,
    conditions: field(
      2,
      listOf(ref(componentCondition), { keys: ["type"], mergeKey: "type" }),
      "What was found",
    ),
  },
);
