// UserInfo: a user as the server knows them.

import { field, listOf, mapOf, string, type TypeSchema, type } from "../schema.ts";

export const userInfo: TypeSchema = type(
  "io.k8s.api.authentication.v1.UserInfo",
  "A user as the server knows them",
  {
    username: field(1, string, "Unique among those active"),
    uid: field(2, string, "Differs even if a name is used again"),
    groups: field(3, listOf(string), "That they belong to"),
    extra: field(4, mapOf(listOf(string)), "What else the authenticator said"),
  },
);
