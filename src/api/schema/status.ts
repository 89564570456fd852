// How the API answers when there is no object to show.

import { listMeta, typeMeta } from "./meta.ts";
import {
  always,
  field,
  int32,
  listOf,
  pointer,
  ref,
  string,
  type TypeSchema,
  type,
} from "./schema.ts";

const statusCause: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause",
  "One fault among several",
  {
    reason: field(1, string, "One word for programs"),
    message: field(2, string, "The fault in words"),
    field: field(3, string, "Where in the object, as a path"),
  },
);

const statusDetails: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails",
  "What a failure is about",
  {
    name: field(1, string, "Name of the object"),
    group: field(2, string, "Group of the resource"),
    kind: field(3, string, "Kind or resource, by the failing part's habit"),
    uid: field(6, string, "Identity of the object, where it is known"),
    causes: field(4, listOf(ref(statusCause)), "Each single fault, where there are several"),
    retryAfterSeconds: field(5, int32, "When it may be worth trying again"),
  },
);

export const status: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
  "The outcome of a request that has no object to return",
  {
    ...typeMeta,
    metadata: field(1, ref(listMeta), "Kept for its shape; mostly empty", always),
    status: field(2, string, "Success or Failure"),
    message: field(3, string, "What happened, for people"),
    reason: field(4, string, "What happened, one word for programs"),
    details: field(5, ref(statusDetails), "What the reason is about", pointer),
    code: field(6, int32, "The HTTP status"),
  },
);
