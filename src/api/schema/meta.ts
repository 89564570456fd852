// What every object carries: names, labels, owners, who changed what.

import {
  always,
  bool,
  byKey,
  type FieldEntry,
  field,
  int64,
  json,
  listOf,
  mapOf,
  pointer,
  ref,
  required,
  setOf,
  string,
  type TypeSchema,
  time,
  type,
} from "./schema.ts";

const ownerReference: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference",
  "An object that this one depends on",
  {
    apiVersion: field(5, string, "Group and version of the owner", required),
    kind: field(1, string, "Kind of the owner", required),
    name: field(3, string, "Name of the owner, in the same namespace or cluster-wide", required),
    uid: field(4, string, "Tells the owner from others of the same name", required),
    controller: field(6, bool, "The one owner that steers this object", pointer),
    blockOwnerDeletion: field(
      7,
      bool,
      "A foreground deletion of the owner waits for this object",
      pointer,
    ),
  },
  { atomic: true },
);

const managedFieldsEntry: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
  "The fields that one manager set in one way",
  {
    manager: field(1, string, "Name of the client or workflow"),
    operation: field(2, string, "Apply or Update"),
    apiVersion: field(3, string, "Version in which the fields are named"),
    time: field(4, time, "When the entry changed last", pointer),
    fieldsType: field(6, string, "How fieldsV1 is written; always FieldsV1"),
    fieldsV1: field(7, json, "The set of fields, as nested keys", pointer),
    subresource: field(8, string, "Through which subresource they were set"),
  },
);

export const objectMeta: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  "What every stored object has, whatever its kind",
  {
    name: field(1, string, "Unique among the objects of its kind in the namespace"),
    generateName: field(2, string, "Start of the name that the server makes up if none is given"),
    namespace: field(
      3,
      string,
      "The space that the name is unique in; none for cluster-wide kinds",
    ),
    selfLink: field(4, string, "No longer filled in"),
    uid: field(5, string, "Made by the server; differs even if a name is used again"),
    resourceVersion: field(
      6,
      string,
      "Of the last write; opaque, to be compared and sent back only",
    ),
    generation: field(7, int64, "Counts changes of what was asked for"),
    creationTimestamp: field(8, time, "When the server stored the object first"),
    deletionTimestamp: field(
      9,
      time,
      "Deletion was asked for; the object goes at this time at the earliest",
      pointer,
    ),
    deletionGracePeriodSeconds: field(10, int64, "How long the deletion may take", pointer),
    labels: field(11, mapOf(string), "Words to choose objects by"),
    annotations: field(12, mapOf(string), "Notes of tools and people, not for choosing"),
    ownerReferences: field(
      13,
      listOf(ref(ownerReference), byKey("uid")),
      "The object is deleted once all of these are gone",
    ),
    finalizers: field(
      14,
      setOf(string, { merge: true }),
      "Who must finish work before the object may vanish",
    ),
    managedFields: field(17, listOf(ref(managedFieldsEntry)), "Who set which fields last"),
  },
);

/** The first two fields of everything that can stand alone. They are not part of the protobuf message. */
export const typeMeta: { readonly kind: FieldEntry; readonly apiVersion: FieldEntry } = {
  kind: field(0, string, "What this object is"),
  apiVersion: field(0, string, "Group and version whose words this object uses"),
};

export const metadata: FieldEntry = field(
  1,
  ref(objectMeta),
  "Name, labels and the bookkeeping of the object",
  always,
);

const shardInfo: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo",
  "Which part of all objects a list was cut to",
  {
    selector: field(1, string, "The part, as the request named it", required),
  },
);

export const listMeta: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
  "About a list as a whole",
  {
    selfLink: field(1, string, "No longer filled in"),
    resourceVersion: field(
      2,
      string,
      "State of the store that the list shows; watches can go on from here",
    ),
    continue: field(3, string, "Hand it back to get the next page"),
    remainingItemCount: field(4, int64, "About how many objects are on later pages", pointer),
    shardInfo: field(5, ref(shardInfo), "Present if the list is only a part, by hash", pointer),
  },
);

export const partialObjectMetadata: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata",
  "Any object, cut down to its metadata",
  {
    ...typeMeta,
    metadata,
  },
);
