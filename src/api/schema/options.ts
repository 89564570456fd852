// What a request may ask for besides its object.

import { typeMeta } from "./meta.ts";
import {
  bool,
  field,
  int64,
  listOf,
  pointer,
  ref,
  string,
  type TypeSchema,
  type,
} from "./schema.ts";

const preconditions: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions",
  "What must be true of the stored object",
  {
    uid: field(1, string, "It must be this very object", pointer),
    resourceVersion: field(2, string, "It must not have changed since", pointer),
  },
);

export const deleteOptions: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  "How to delete",
  {
    ...typeMeta,
    gracePeriodSeconds: field(
      1,
      int64,
      "How long the object may take to stop; 0 is at once",
      pointer,
    ),
    preconditions: field(2, ref(preconditions), "Delete only if these hold", pointer),
    orphanDependents: field(3, bool, "Outdated spelling of a propagation policy", pointer),
    propagationPolicy: field(
      4,
      string,
      "Orphan, Background or Foreground: what becomes of dependents",
      pointer,
    ),
    dryRun: field(5, listOf(string), "All: do everything but store the result"),
    ignoreStoreReadErrorWithClusterBreakingPotential: field(
      6,
      bool,
      "Delete even what can no longer be read from the store",
      pointer,
    ),
  },
);

export const createOptions: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.CreateOptions",
  "How to create",
  {
    ...typeMeta,
    dryRun: field(1, listOf(string), "All: do everything but store the result"),
    fieldManager: field(3, string, "Who is said to set the fields"),
    fieldValidation: field(4, string, "Ignore, Warn or Strict about unknown and repeated fields"),
  },
);

export const updateOptions: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.UpdateOptions",
  "How to update",
  {
    ...typeMeta,
    dryRun: field(1, listOf(string), "All: do everything but store the result"),
    fieldManager: field(2, string, "Who is said to set the fields"),
    fieldValidation: field(3, string, "Ignore, Warn or Strict about unknown and repeated fields"),
  },
);

export const patchOptions: TypeSchema = type(
  "io.k8s.apimachinery.pkg.apis.meta.v1.PatchOptions",
  "How to patch",
  {
    ...typeMeta,
    dryRun: field(1, listOf(string), "All: do everything but store the result"),
    force: field(2, bool, "Apply takes over fields that others have set", pointer),
    fieldManager: field(3, string, "Who is said to set the fields"),
    fieldValidation: field(4, string, "Ignore, Warn or Strict about unknown and repeated fields"),
  },
);
