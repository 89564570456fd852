// TokenRequest: a new token for a service account.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  field,
  int64,
  listOf,
  mapOf,
  ref,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";

const boundObjectReference: TypeSchema = type(
  "io.k8s.api.authentication.v1.BoundObjectReference",
  "The object that a token lives and dies with",
  {
    kind: field(1, string, "Pod, Secret or Node"),
    apiVersion: field(2, string, "Of the object"),
    name: field(3, string, "Of the object"),
    uid: field(4, string, "Tells it from others of the same name"),
  },
);

const tokenRequestSpec: TypeSchema = type(
  "io.k8s.api.authentication.v1.TokenRequestSpec",
  "Which token is wanted",
  {
    audiences: field(1, listOf(string), "Who shall accept it", always),
    expirationSeconds: field(4, int64, "How long it should be good for", {
      ...always,
      pointer: true,
    }),
    boundObjectRef: field(3, ref(boundObjectReference), "The token dies with this object", {
      ...always,
      pointer: true,
    }),
    attestations: field(5, mapOf(listOf(string)), "Further facts to put into it"),
  },
);

const tokenRequestStatus: TypeSchema = type(
  "io.k8s.api.authentication.v1.TokenRequestStatus",
  "A new token",
  {
    token: field(1, string, "The token", always),
    expirationTimestamp: field(2, time, "When it ends", always),
  },
);

export const tokenRequest: TypeSchema = type(
  "io.k8s.api.authentication.v1.TokenRequest",
  "Asks for a token of a service account",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(tokenRequestSpec), "Which token", always),
    status: field(3, ref(tokenRequestStatus), "The token", always),
  },
);
