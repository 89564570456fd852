// A ConfigRevision says what a ConfigMap or Secret held. History is not rewritten: nothing of it changes.

import type { ConfigRevision } from "../types.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { immutableField } from "./semantic-equal.ts";

const objectPath = FieldPath.of("object");
const kinds = ["ConfigMap", "Secret"];
const immutable = [
  "object",
  "number",
  "hash",
  "author",
  "changedAt",
  "summary",
  "data",
  "binaryData",
  "secret",
] as const;
/** Their values are not repeated in messages: they may be secret. */
const content = ["data", "binaryData"] as const;

export function validateConfigRevision(revision: ConfigRevision): FieldError[] {
  return [
    ...validateObjectMeta(revision.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateFields(revision),
  ];
}

export function validateConfigRevisionUpdate(
  revision: ConfigRevision,
  old: ConfigRevision,
): FieldError[] {
  const changed = immutable
    .filter((field) => immutableField(revision[field], old[field], objectPath).length > 0)
    .map((field) => {
      const path = FieldPath.of(field);
      return content.some((each) => each === field)
        ? forbidden(path, "field is immutable")
        : invalid(path, revision[field], "field is immutable");
    });
  return [...validateObjectMetaUpdate(revision.metadata, old.metadata), ...changed];
}

function validateFields({ object, number, hash, ...revision }: ConfigRevision): FieldError[] {
  const errors: FieldError[] = [];
  if (object.apiVersion !== "v1") {
    errors.push(notSupported(objectPath.child("apiVersion"), object.apiVersion, ["v1"]));
  }
  if (!kinds.includes(object.kind)) {
    errors.push(notSupported(objectPath.child("kind"), object.kind, kinds));
  }
  if (object.name === "") errors.push(required(objectPath.child("name")));
  if (number < 1) {
    errors.push(invalid(FieldPath.of("number"), number, "must be greater than or equal to 1"));
  }
  if (hash === "") errors.push(required(FieldPath.of("hash")));
  const isSecret = object.kind === "Secret";
  if (isSecret !== (revision.secret ?? false)) {
    const text = "must be true for a Secret, and only for a Secret";
    errors.push(invalid(FieldPath.of("secret"), revision.secret ?? false, text));
  }
  if (isSecret && Object.keys(revision.data ?? {}).length > 0) {
    errors.push(forbidden(FieldPath.of("data"), "the content of a Secret is in `binaryData`"));
  }
  return errors;
}
