// ConfigMap: settings by key, the reason why all of this exists.

import { metadata, typeMeta } from "../meta.ts";
import { bool, bytes, field, mapOf, pointer, string, type TypeSchema, type } from "../schema.ts";

export const configMap: TypeSchema = type(
  "io.k8s.api.core.v1.ConfigMap",
  "Settings that pods read as files, variables or arguments",
  {
    ...typeMeta,
    metadata,
    immutable: field(
      4,
      bool,
      "Content can no longer change, only the whole object be deleted",
      pointer,
    ),
    data: field(2, mapOf(string), "Text by key"),
    binaryData: field(3, mapOf(bytes), "Bytes by key; no key may also be in data"),
  },
);
