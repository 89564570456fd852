// Metadata, the part that all kinds share: what a new object may have, and what an update may not change.

import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../types.ts";
import { isAbsent, list, number, text } from "./absent.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
  tooLong,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { goQuote } from "./go-text.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { type NameRule, nameIsDnsLabel, qualifiedName } from "./names.ts";
import { immutableField } from "./semantic-equal.ts";
import { exceedsBytes } from "./utf8-length.ts";

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly name: NameRule;
  /** Any qualified finalizer will do; most kinds also want a "/" in it, or one of the three standard names. */
  readonly anyFinalizer?: boolean;
}

const metadata = FieldPath.of("metadata");
const standardFinalizers: ReadonlySet<string> = new Set([
  "kubernetes",
  "orphan",
  "foregroundDeletion",
]);
const frozenTimes = [
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;
const maxManagerBytes = 128;
const plainManager = /^[ -~]{0,128}$/;
const maxSubresourceBytes = 256;

/** Judges the metadata of a new object; its name has been generated, if it had to be. */
export function validateObjectMeta(
  meta: ObjectMeta,
  rules: ObjectMetaRules,
  path: FieldPath = metadata,
): FieldError[] {
  const errors = validateName(meta, rules.name, path);
  errors.push(...validateNamespaceField(text(meta.namespace), rules.namespaced, path));
  if (number(meta.generation) < 0) {
    errors.push(...nonNegative(number(meta.generation), path.child("generation")));
  }
  errors.push(...validateDescription(meta, path));
  if (!isAbsent(meta.finalizers)) {
    errors.push(...validateFinalizers(meta.finalizers, path.child("finalizers")));
  }
  errors.push(...validateManagedFields(list(meta.managedFields), path));
  if (rules.anyFinalizer !== true) errors.push(...validateFinalizerForms(meta, path));
  return errors;
}

/** Judges what an update does to the metadata. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  path: FieldPath = metadata,
  rules: Pick<ObjectMetaRules, "anyFinalizer"> = {},
): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    errors.push(...noNewFinalizers(list(meta.finalizers), list(old.finalizers), path));
  }
  if (text(meta.resourceVersion) === "") {
    errors.push(invalid(path.child("resourceVersion"), "", "must be specified for an update"));
  }
  const generation = number(meta.generation);
  errors.push(...nonNegative(generation, path.child("generation")));
  if (generation < number(old.generation)) {
    errors.push(invalid(path.child("generation"), generation, "must not be decremented"));
  }
  errors.push(
    ...immutableField(text(meta.name), text(old.name), path.child("name")),
    ...immutableField(text(meta.namespace), text(old.namespace), path.child("namespace")),
    ...immutableField(text(meta.uid), text(old.uid), path.child("uid")),
    ...frozenTimes.flatMap((name) => immutableField(meta[name], old[name], path.child(name))),
    ...validateDescription(meta, path),
    ...validateManagedFields(list(meta.managedFields), path),
  );
  if (rules.anyFinalizer !== true) errors.push(...validateFinalizerForms(meta, path));
  return errors;
}

/** A finalizer outside metadata, as those of a namespace's spec. */
export function validateFinalizerName(name: string, path: FieldPath): FieldError[] {
  return [...invalids(path, name, qualifiedName(name)), ...validateFinalizerForm(name, path)];
}

export function nonNegative(value: number, path: FieldPath): FieldError[] {
  return value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : [];
}

function validateName(meta: ObjectMeta, rule: NameRule, path: FieldPath): FieldError[] {
  const { generateName = "", name = "" } = meta;
  const errors: FieldError[] = [];
  if (generateName !== "") {
    const at = path.child("generateName");
    errors.push(...invalids(at, generateName, rule(generateName, true)));
  }
  if (name === "") {
    errors.push(required(path.child("name"), "name or generateName is required"));
    return errors;
  }
  return [...errors, ...invalids(path.child("name"), name, rule(name, false))];
}

function validateNamespaceField(
  namespace: string,
  namespaced: boolean,
  path: FieldPath,
): FieldError[] {
  if (!namespaced) {
    return namespace === "" ? [] : [forbidden(path.child("namespace"), "not allowed on this type")];
  }
  if (namespace === "") return [required(path.child("namespace"))];
  return invalids(path.child("namespace"), namespace, nameIsDnsLabel(namespace, false));
}

function validateDescription(meta: ObjectMeta, path: FieldPath): FieldError[] {
  const { labels, annotations, ownerReferences } = meta;
  const errors = isAbsent(labels) ? [] : validateLabels(labels, path.child("labels"));
  if (!isAbsent(annotations)) {
    errors.push(...validateAnnotations(annotations, path.child("annotations")));
  }
  if (!isAbsent(ownerReferences)) {
    errors.push(...validateOwnerReferences(ownerReferences, path.child("ownerReferences")));
  }
  return errors;
}

function validateOwnerReferences(
  references: readonly OwnerReference[],
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  let controller = "";
  for (const [i, reference] of references.entries()) {
    errors.push(...validateOwnerReference(reference, path.index(i)));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === "") {
      controller = name;
      continue;
    }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
    errors.push(invalid(path, [...references], detail));
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath): FieldError[] {
  const { apiVersion, kind } = reference;
  const errors: FieldError[] = [];
  const parts = apiVersion.split("/");
  if (apiVersion === "") errors.push(required(path.child("apiVersion"), "must not be empty"));
  else if (parts.length > 2 || parts.at(-1) === "") {
    const detail = "must be <group>/<version> or <version>";
    errors.push(invalid(path.child("apiVersion"), apiVersion, detail));
  }
  for (const field of ["kind", "name", "uid"] as const) {
    if (reference[field] === "") errors.push(required(path.child(field), "must not be empty"));
  }
  if (apiVersion === "v1" && kind === "Event") {
    errors.push(invalid(path, reference, "/v1, Kind=Event is disallowed from being an owner"));
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[], path: FieldPath): FieldError[] {
  const errors = finalizers.flatMap((name) => invalids(path, name, qualifiedName(name)));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalid(path, [...finalizers], detail));
  }
  return errors;
}

function validateFinalizerForms(meta: ObjectMeta, path: FieldPath): FieldError[] {
  return list(meta.finalizers).flatMap((name, i) =>
    validateFinalizerForm(name, path.child("finalizers").index(i)),
  );
}

function validateFinalizerForm(name: string, path: FieldPath): FieldError[] {
  if (name.includes("/") || standardFinalizers.has(name)) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return [invalid(path, name, detail)];
}

function noNewFinalizers(
  finalizers: readonly string[],
  old: readonly string[],
  path: FieldPath,
): FieldError[] {
  const added = [...new Set(finalizers)].filter((name) => !old.includes(name)).sort();
  if (added.length === 0) return [];
  const listed = `[]string{${added.map(goQuote).join(", ")}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${listed}`;
  return [forbidden(path.child("finalizers"), detail)];
}

function validateManagedFields(
  entries: readonly ManagedFieldsEntry[],
  path: FieldPath,
): FieldError[] {
  // Entries are many and nearly always right: paths are made only for what is wrong.
  return entries.every(isRightEntry)
    ? []
    : entries.flatMap((entry, i) => validateEntry(entry, path.child("managedFields").index(i)));
}

function isRightEntry(entry: ManagedFieldsEntry): boolean {
  const { operation, fieldsType, manager, subresource } = entry;
  return (
    (operation === "Apply" || operation === "Update") &&
    (fieldsType === undefined || fieldsType === "FieldsV1") &&
    plainManager.test(text(manager)) &&
    text(subresource).length * 3 <= maxSubresourceBytes
  );
}

function validateEntry(entry: ManagedFieldsEntry, path: FieldPath): FieldError[] {
  const operation = text(entry.operation);
  const fieldsType = text(entry.fieldsType);
  const errors: FieldError[] = [];
  if (operation === "") errors.push(required(path.child("operation"), "must not be empty"));
  else if (operation !== "Apply" && operation !== "Update") {
    errors.push(notSupported(path.child("operation"), operation, ["Apply", "Update"]));
  }
  if (fieldsType !== "" && fieldsType !== "FieldsV1") {
    errors.push(invalid(path.child("fieldsType"), fieldsType, "must be `FieldsV1`"));
  }
  errors.push(...validateFieldManager(text(entry.manager), path.child("manager")));
  if (exceedsBytes(text(entry.subresource), maxSubresourceBytes)) {
    errors.push(tooLong(path.child("subresource"), maxSubresourceBytes));
  }
  return errors;
}

/** The name of a field manager, in managedFields and in the query. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  if (plainManager.test(manager)) return [];
  const errors = exceedsBytes(manager, maxManagerBytes) ? [tooLong(path, maxManagerBytes)] : [];
  let position = 0;
  for (const character of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) {
      const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      const detail = `invalid character U+${point} (at position ${position})`;
      errors.push(invalid(path, manager, detail));
    }
    position += new TextEncoder().encode(character).length;
  }
  return errors;
}
