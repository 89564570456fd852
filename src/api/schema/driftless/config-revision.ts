// One content that a ConfigMap or Secret had: kept so that a change can be named, compared and taken back. None of
// our own kinds is sent as protobuf, so their fields have no numbers.

import { objectMeta, typeMeta } from "../meta.ts";
import {
  always,
  bool,
  bytes,
  type FieldEntry,
  field,
  int64,
  listOf,
  mapOf,
  microTime,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

/** The metadata of our own kinds. */
export const metadata: FieldEntry = field(
  0,
  ref(objectMeta),
  "Name, labels and the bookkeeping of the object",
  always,
);

const configObjectReference: TypeSchema = type(
  "dev.driftless.v1.ConfigObjectReference",
  "The ConfigMap or Secret that a revision belongs to",
  {
    apiVersion: field(0, string, "Group and version of the object", required),
    kind: field(0, oneOf("ConfigMap", "Secret"), "Kind of the object", required),
    name: field(0, string, "Name of the object, in the revision's namespace", required),
    uid: field(0, string, "Tells the object from an earlier one of the same name"),
    resourceVersion: field(0, string, "Of the write that made this content"),
  },
  { atomic: true },
);

const revisionSummary: TypeSchema = type(
  "dev.driftless.v1.RevisionSummary",
  "Which keys differ from the revision before",
  {
    added: field(0, listOf(string), "Keys that are new"),
    changed: field(0, listOf(string), "Keys whose value is another"),
    removed: field(0, listOf(string), "Keys that are gone"),
  },
);

export const configRevision: TypeSchema = type(
  "dev.driftless.v1.ConfigRevision",
  "One content that a ConfigMap or Secret had",
  {
    ...typeMeta,
    metadata,
    object: field(0, ref(configObjectReference), "Whose content this is", required),
    number: field(0, int64, "Counts the contents of the object, from 1", required),
    hash: field(0, string, "Of data and binaryData and nothing else; names the version", required),
    author: field(0, string, "The user who made the change"),
    changedAt: field(0, microTime, "When the change was committed", pointer),
    summary: field(0, ref(revisionSummary), "What changed since the revision before", pointer),
    data: field(0, mapOf(string), "The content, where it is text"),
    binaryData: field(0, mapOf(bytes), "The content, where it is not text; all of it for a Secret"),
    secret: field(0, bool, "The content is protected as the Secret is"),
  },
);
