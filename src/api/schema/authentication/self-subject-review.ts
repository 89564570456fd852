// SelfSubjectReview: who am I?

import { metadata, typeMeta } from "../meta.ts";
import { always, field, ref, type TypeSchema, type } from "../schema.ts";
import { userInfo } from "./user-info.ts";

const selfSubjectReviewStatus: TypeSchema = type(
  "io.k8s.api.authentication.v1.SelfSubjectReviewStatus",
  "Who the asker is",
  {
    userInfo: field(1, ref(userInfo), "The asker", always),
  },
);

export const selfSubjectReview: TypeSchema = type(
  "io.k8s.api.authentication.v1.SelfSubjectReview",
  "Asks who I am",
  {
    ...typeMeta,
    metadata,
    status: field(2, ref(selfSubjectReviewStatus), "The answer", always),
  },
);
