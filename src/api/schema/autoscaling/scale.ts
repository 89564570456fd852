// Scale: the number of pods, in the same words for every kind that has one.

import { metadata, typeMeta } from "../meta.ts";
import { always, field, int32, ref, required, string, type TypeSchema, type } from "../schema.ts";

const scaleSpec: TypeSchema = type(
  "io.k8s.api.autoscaling.v1.ScaleSpec",
  "How many pods there should be",
  {
    replicas: field(1, int32, "How many", { default: 0 }),
  },
);

const scaleStatus: TypeSchema = type(
  "io.k8s.api.autoscaling.v1.ScaleStatus",
  "How many pods there are",
  {
    replicas: field(1, int32, "How many", required),
    selector: field(2, string, "Labels of the pods, as text"),
  },
);

export const scale: TypeSchema = type(
  "io.k8s.api.autoscaling.v1.Scale",
  "How many pods something has, whatever its kind",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(scaleSpec), "What should be", always),
    status: field(3, ref(scaleStatus), "What is", always),
  },
);
