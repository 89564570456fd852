// How a pod is told about itself.

import {
  always,
  field,
  int32,
  int64,
  pointer,
  quantity,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

export const objectFieldSelector: TypeSchema = type(
  "io.k8s.api.core.v1.ObjectFieldSelector",
  "A field of the pod",
  {
    apiVersion: field(1, string, "Version in which the path is written; v1 if absent"),
    fieldPath: field(2, string, "Path of the field, as metadata.name", required),
  },
  { atomic: true },
);

export const resourceFieldSelector: TypeSchema = type(
  "io.k8s.api.core.v1.ResourceFieldSelector",
  "How much of a resource a container asks for or may use",
  {
    containerName: field(1, string, "Which container; its own for variables"),
    resource: field(2, string, "As limits.cpu or requests.memory", required),
    divisor: field(3, quantity, "Unit of the result; 1 if zero", always),
  },
  { atomic: true },
);

export const downwardAPIVolumeFile: TypeSchema = type(
  "io.k8s.api.core.v1.DownwardAPIVolumeFile",
  "A file that tells the pod about itself",
  {
    path: field(1, string, "Of the file in the volume", required),
    fieldRef: field(2, ref(objectFieldSelector), "A field of the pod", pointer),
    resourceFieldRef: field(3, ref(resourceFieldSelector), "A resource of a container", pointer),
    mode: field(4, int32, "Permissions of the file", pointer),
    user: field(5, int64, "Owner of the file", pointer),
  },
);
