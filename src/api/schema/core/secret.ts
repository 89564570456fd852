// Secret: like a ConfigMap, but its bytes are for few eyes.

import { metadata, typeMeta } from "../meta.ts";
import { bool, bytes, field, mapOf, pointer, string, type TypeSchema, type } from "../schema.ts";

export const secret: TypeSchema = type(
  "io.k8s.api.core.v1.Secret",
  "Settings that not everybody may see",
  {
    ...typeMeta,
    metadata,
    immutable: field(
      5,
      bool,
      "Content can no longer change, only the whole object be deleted",
      pointer,
    ),
    data: field(2, mapOf(bytes), "Bytes by key"),
    stringData: field(4, mapOf(string), "Text by key, for writing only; wins over data"),
    type: field(3, string, "Which keys are expected, for programs; Opaque expects none"),
  },
);
