// Pod, and the templates that pods are made from.

import { metadata, typeMeta } from "../meta.ts";
import { always, field, ref, type TypeSchema, type } from "../schema.ts";
import { podSpec } from "./pod-spec.ts";
import { podStatus } from "./pod-status.ts";

export const pod: TypeSchema = type(
  "io.k8s.api.core.v1.Pod",
  "Containers that run together on one node",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(podSpec), "What should be", always),
    status: field(3, ref(podStatus), "What is", always),
  },
);

export const podTemplateSpec: TypeSchema = type(
  "io.k8s.api.core.v1.PodTemplateSpec",
  "What pods are made from",
  {
    metadata,
    spec: field(2, ref(podSpec), "Of the pods", always),
  },
);

export const podTemplate: TypeSchema = type(
  "io.k8s.api.core.v1.PodTemplate",
  "What pods are made from, as an object of its own",
  {
    ...typeMeta,
    metadata,
    template: field(2, ref(podTemplateSpec), "The pods", always),
  },
);
