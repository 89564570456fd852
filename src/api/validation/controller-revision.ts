// A ControllerRevision is a snapshot: once written, its data does not change.

import { isJsonObject } from "../json.ts";
import type { ControllerRevision } from "../types.ts";
import { type FieldError, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { nonNegative, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { immutableField } from "./semantic-equal.ts";

const dataPath = FieldPath.of("data");

export function validateControllerRevision(revision: ControllerRevision): FieldError[] {
  return [...validateAlways(revision), ...validateData(revision)];
}

export function validateControllerRevisionUpdate(
  revision: ControllerRevision,
  old: ControllerRevision,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(revision.metadata, old.metadata),
    ...validateAlways(revision),
    ...immutableField(revision.data, old.data, dataPath),
  ];
}

function validateAlways(revision: ControllerRevision): FieldError[] {
  return [
    ...validateObjectMeta(revision.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...nonNegative(revision.revision ?? 0, FieldPath.of("revision")),
  ];
}

function validateData({ data }: ControllerRevision): FieldError[] {
  if (data === undefined || data === null) return [required(dataPath, "data is mandatory")];
  return isJsonObject(data) ? [] : [required(dataPath, "data must be a valid JSON object")];
}
