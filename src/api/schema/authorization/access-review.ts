// Questions about access: may this user, or the asker, do that?

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  bool,
  field,
  listOf,
  mapOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { fieldSelectorRequirement, labelSelectorRequirement } from "../selector.ts";

const fieldSelectorAttributes: TypeSchema = type(
  "io.k8s.api.authorization.v1.FieldSelectorAttributes",
  "A field selector, as text or in parts",
  {
    rawSelector: field(1, string, "As text"),
    requirements: field(2, listOf(ref(fieldSelectorRequirement)), "In parts"),
  },
);

const labelSelectorAttributes: TypeSchema = type(
  "io.k8s.api.authorization.v1.LabelSelectorAttributes",
  "A label selector, as text or in parts",
  {
    rawSelector: field(1, string, "As text"),
    requirements: field(2, listOf(ref(labelSelectorRequirement)), "In parts"),
  },
);

const resourceAttributes: TypeSchema = type(
  "io.k8s.api.authorization.v1.ResourceAttributes",
  "An action on a resource",
  {
    namespace: field(1, string, "Where; empty is everywhere or cluster-wide"),
    verb: field(2, string, "What is done; * is everything"),
    group: field(3, string, "Of the resource; * is all"),
    version: field(4, string, "Of the resource; * is all"),
    resource: field(5, string, "Which; * is all"),
    subresource: field(6, string, "Which part of it"),
    name: field(7, string, "Of the object; empty is all"),
    fieldSelector: field(
      8,
      ref(fieldSelectorAttributes),
      "Narrows a list or watch by fields",
      pointer,
    ),
    labelSelector: field(
      9,
      ref(labelSelectorAttributes),
      "Narrows a list or watch by labels",
      pointer,
    ),
  },
);

const nonResourceAttributes: TypeSchema = type(
  "io.k8s.api.authorization.v1.NonResourceAttributes",
  "An action on a path",
  {
    path: field(1, string, "Of the request"),
    verb: field(2, string, "HTTP method in lower case"),
  },
);

const subjectAccessReviewSpec: TypeSchema = type(
  "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
  "Who wants to do what",
  {
    resourceAttributes: field(1, ref(resourceAttributes), "Something with a resource", pointer),
    nonResourceAttributes: field(2, ref(nonResourceAttributes), "Something with a path", pointer),
    user: field(3, string, "Who"),
    groups: field(4, listOf(string), "That they belong to"),
    extra: field(5, mapOf(listOf(string)), "What else the authenticator said"),
    uid: field(6, string, "Of the user"),
  },
);

const subjectAccessReviewStatus: TypeSchema = type(
  "io.k8s.api.authorization.v1.SubjectAccessReviewStatus",
  "Whether it is allowed",
  {
    allowed: field(1, bool, "It is", required),
    denied: field(4, bool, "It is forbidden whatever others say"),
    reason: field(2, string, "Why"),
    evaluationError: field(3, string, "What went wrong while judging"),
  },
);

export const subjectAccessReview: TypeSchema = type(
  "io.k8s.api.authorization.v1.SubjectAccessReview",
  "Asks whether someone may do something",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(subjectAccessReviewSpec), "The question", required),
    status: field(3, ref(subjectAccessReviewStatus), "The answer", always),
  },
);

export const localSubjectAccessReview: TypeSchema = type(
  "io.k8s.api.authorization.v1.LocalSubjectAccessReview",
  "Asks whether someone may do something in this namespace",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(subjectAccessReviewSpec), "The question", required),
    status: field(3, ref(subjectAccessReviewStatus), "The answer", always),
  },
);

const selfSubjectAccessReviewSpec: TypeSchema = type(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec",
  "What the asker wants to do",
  {
    resourceAttributes: field(1, ref(resourceAttributes), "Something with a resource", pointer),
    nonResourceAttributes: field(2, ref(nonResourceAttributes), "Something with a path", pointer),
  },
);

export const selfSubjectAccessReview: TypeSchema = type(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReview",
  "Asks whether I may do something",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(selfSubjectAccessReviewSpec), "The question", required),
    status: field(3, ref(subjectAccessReviewStatus), "The answer", always),
  },
);
