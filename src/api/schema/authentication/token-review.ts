// TokenReview: whose is this token?

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  bool,
  field,
  listOf,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { userInfo } from "./user-info.ts";

const tokenReviewSpec: TypeSchema = type(
  "io.k8s.api.authentication.v1.TokenReviewSpec",
  "A token to look at",
  {
    token: field(1, string, "The token", { required: true }),
    audiences: field(2, listOf(string), "For whom the token should be; the API if empty"),
  },
);

const tokenReviewStatus: TypeSchema = type(
  "io.k8s.api.authentication.v1.TokenReviewStatus",
  "Whose a token is",
  {
    authenticated: field(1, bool, "The token is good"),
    user: field(2, ref(userInfo), "Whose it is", always),
    audiences: field(4, listOf(string), "For whom the token is, among those asked for"),
    error: field(3, string, "Why it could not be judged"),
  },
);

export const tokenReview: TypeSchema = type(
  "io.k8s.api.authentication.v1.TokenReview",
  "Asks whose a token is",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(tokenReviewSpec), "The question", required),
    status: field(3, ref(tokenReviewStatus), "The answer", always),
  },
);
