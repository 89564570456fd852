// LimitRange: bounds for what a pod of the namespace may ask for.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
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

const limitRangeItem: TypeSchema = type(
  "io.k8s.api.core.v1.LimitRangeItem",
  "Bounds for one type of object, by resource",
  {
    type: field(1, string, "Pod, Container or PersistentVolumeClaim", required),
    max: field(2, mapOf(quantity), "At most"),
    min: field(3, mapOf(quantity), "At least"),
    default: field(4, mapOf(quantity), "Limit of a container that names none"),
    defaultRequest: field(5, mapOf(quantity), "Request of a container that names none"),
    maxLimitRequestRatio: field(6, mapOf(quantity), "How many times the request a limit may be"),
  },
);

const limitRangeSpec: TypeSchema = type(
  "io.k8s.api.core.v1.LimitRangeSpec",
  "Bounds by type of object",
  {
    limits: field(1, listOf(ref(limitRangeItem)), "All of them hold", required),
  },
);

export const limitRange: TypeSchema = type(
  "io.k8s.api.core.v1.LimitRange",
  "Bounds and defaults for what pods of a namespace ask for",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(limitRangeSpec), "The bounds", always),
  },
);
