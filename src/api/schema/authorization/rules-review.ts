// SelfSubjectRulesReview: what may I do in this namespace?

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

const selfSubjectRulesReviewSpec: TypeSchema = type(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec",
  "The namespace asked about",
  {
    namespace: field(1, string, "Which one"),
  },
);

const resourceRule: TypeSchema = type(
  "io.k8s.api.authorization.v1.ResourceRule",
  "Something that is allowed with resources",
  {
    verbs: field(1, listOf(string), "What may be done; * is everything", required),
    apiGroups: field(2, listOf(string), "In these groups; * is all"),
    resources: field(3, listOf(string), "To these resources; * is all"),
    resourceNames: field(4, listOf(string), "Only to objects with these names; to all if empty"),
  },
);

const nonResourceRule: TypeSchema = type(
  "io.k8s.api.authorization.v1.NonResourceRule",
  "Something that is allowed with paths",
  {
    verbs: field(1, listOf(string), "HTTP methods in lower case; * is every one", required),
    nonResourceURLs: field(2, listOf(string), "Which paths; * at the end is any rest"),
  },
);

const subjectRulesReviewStatus: TypeSchema = type(
  "io.k8s.api.authorization.v1.SubjectRulesReviewStatus",
  "What someone may do",
  {
    resourceRules: field(1, listOf(ref(resourceRule)), "With resources", required),
    nonResourceRules: field(2, listOf(ref(nonResourceRule)), "With paths", required),
    incomplete: field(3, bool, "There may be more", required),
    evaluationError: field(4, string, "What went wrong while collecting"),
  },
);

export const selfSubjectRulesReview: TypeSchema = type(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReview",
  "Asks what I may do in a namespace",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(selfSubjectRulesReviewSpec), "The question", required),
    status: field(3, ref(subjectRulesReviewStatus), "The answer", always),
  },
);
