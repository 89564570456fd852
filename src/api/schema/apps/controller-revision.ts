// ControllerRevision: a version of a set, kept to go back to.

import { metadata, typeMeta } from "../meta.ts";
import { always, field, int64, json, required, type TypeSchema, type } from "../schema.ts";

export const controllerRevision: TypeSchema = type(
  "io.k8s.api.apps.v1.ControllerRevision",
  "A version of a set's template, kept to go back to",
  {
    ...typeMeta,
    metadata,
    data: field(2, json, "The version, in its owner's format", required),
    revision: field(3, int64, "Counts versions", always),
  },
);
