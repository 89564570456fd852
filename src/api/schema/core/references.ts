// How one object points at another.

import { always, field, pointer, required, string, type TypeSchema, type } from "../schema.ts";

export const objectReference: TypeSchema = type(
  "io.k8s.api.core.v1.ObjectReference",
  "Any object, or a part of one",
  {
    kind: field(1, string, "Kind of the object"),
    namespace: field(2, string, "Where it lives"),
    name: field(3, string, "Its name"),
    uid: field(4, string, "Tells it from others of the same name"),
    apiVersion: field(5, string, "Group and version of the object"),
    resourceVersion: field(6, string, "The state that is meant"),
    fieldPath: field(7, string, "The part that is meant, as spec.containers{web}"),
  },
  { atomic: true },
);

export const localObjectReference: TypeSchema = type(
  "io.k8s.api.core.v1.LocalObjectReference",
  "An object of a known kind in the same namespace",
  {
    name: field(1, string, "Name of the object", { default: "" }),
  },
  { atomic: true },
);

export const typedLocalObjectReference: TypeSchema = type(
  "io.k8s.api.core.v1.TypedLocalObjectReference",
  "An object of some kind in the same namespace",
  {
    apiGroup: field(1, string, "Group of the kind; absent for the core group", {
      ...always,
      pointer: true,
    }),
    kind: field(2, string, "Kind of the object", required),
    name: field(3, string, "Name of the object", required),
  },
  { atomic: true },
);

export const typedObjectReference: TypeSchema = type(
  "io.k8s.api.core.v1.TypedObjectReference",
  "An object of some kind, perhaps in another namespace",
  {
    apiGroup: field(1, string, "Group of the kind; absent for the core group", {
      ...always,
      pointer: true,
    }),
    kind: field(2, string, "Kind of the object", required),
    name: field(3, string, "Name of the object", required),
    namespace: field(4, string, "Where it lives, if elsewhere", pointer),
  },
);

export const secretReference: TypeSchema = type(
  "io.k8s.api.core.v1.SecretReference",
  "A Secret in some namespace",
  {
    name: field(1, string, "Name of the Secret"),
    namespace: field(2, string, "Where the Secret lives"),
  },
  { atomic: true },
);
