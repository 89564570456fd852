// Binding: how a scheduler puts a pod on a node.

import { metadata, typeMeta } from "../meta.ts";
import { field, ref, required, type TypeSchema, type } from "../schema.ts";
import { objectReference } from "./references.ts";

export const binding: TypeSchema = type("io.k8s.api.core.v1.Binding", "Puts a pod on a node", {
  ...typeMeta,
  metadata,
  target: field(2, ref(objectReference), "The node", required),
});
