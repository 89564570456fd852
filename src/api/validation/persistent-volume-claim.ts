// What a claim on storage may ask for. Once made, a claim changes little: a bound one may grow.

import { parseQuantity } from "../quantity.ts";
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedObjectReference,
} from "../types.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { internalForm } from "./internal-form.ts";
import { hasInvalidSelectorValue, validateLabelSelector } from "./labels.ts";
import { dns1123Subdomain, nameIsDnsLabel, nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validateQuantity } from "./resources.ts";
import { immutableField, semanticEqual } from "./semantic-equal.ts";
import { unifiedDiff } from "./unified-diff.ts";

export const storageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/** A copy in which fields can be taken away. */
type Loose = {
  [name in keyof PersistentVolumeClaimSpec]: PersistentVolumeClaimSpec[name] | undefined;
};

const specPath = FieldPath.of("spec");
const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];

export function validatePersistentVolumeClaim(claim: PersistentVolumeClaim): FieldError[] {
  return [
    ...validateObjectMeta(claim.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateClaimSpec(claim.spec, specPath),
  ];
}

export function validatePersistentVolumeClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldError[] {
  const allowInvalidValues = hasInvalidSelectorValue(old.spec.selector);
  return [
    ...validateObjectMetaUpdate(claim.metadata, old.metadata),
    ...validateObjectMeta(claim.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateClaimSpec(claim.spec, specPath, { allowInvalidValues }),
    ...validateUnchanged(claim, old),
    ...validateSize(claim, old),
    // The path is the API's.
    ...immutableField(claim.spec.volumeMode, old.spec.volumeMode, FieldPath.of("volumeMode")),
    ...validateAttributesClassUpdate(claim, old),
  ];
}

export function validatePersistentVolumeClaimStatusUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldError[] {
  const errors = validateObjectMetaUpdate(claim.metadata, old.metadata);
  if ((claim.metadata.resourceVersion ?? "") === "") {
    errors.push(required(FieldPath.of("resourceVersion")));
  }
  if ((claim.spec.accessModes ?? []).length === 0) {
    errors.push(required(FieldPath.of("Spec", "accessModes")));
  }
  for (const [name, amount] of Object.entries(claim.status.capacity ?? {})) {
    errors.push(...validateAmount(amount, FieldPath.of("status", "capacity").key(name)));
  }
  return errors;
}

/** Also of the claims that a StatefulSet makes. */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  options: { readonly allowInvalidValues?: boolean } = {},
): FieldError[] {
  const modes = spec.accessModes ?? [];
  const errors: FieldError[] = [];
  if (modes.length === 0) {
    errors.push(required(path.child("accessModes"), "at least 1 access mode is required"));
  }
  errors.push(
    ...validateLabelSelector(spec.selector, path.child("selector"), options),
    ...validateAccessModes(modes, path.child("accessModes")),
    ...validateStorageRequest(spec, path.child("resources").key("storage")),
    ...validateClassName(spec.storageClassName ?? "", path.child("storageClassName")),
    ...validateVolumeMode(spec.volumeMode, path.child("volumeMode")),
    ...validateDataSources(spec, path),
    ...validateClassName(
      spec.volumeAttributesClassName ?? "",
      path.child("volumeAttributesClassName"),
    ),
  );
  return errors;
}

/** Of claims and of volumes. */
export function validateAccessModes(modes: readonly string[], path: FieldPath): FieldError[] {
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(path, mode, accessModes));
  const others = modes.filter((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (modes.includes("ReadWriteOncePod") && others.length > 0) {
    errors.push(forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
  return errors;
}

export function validateVolumeMode(mode: string | undefined, path: FieldPath): FieldError[] {
  if (mode === undefined || volumeModes.includes(mode)) return [];
  return [notSupported(path, mode, volumeModes)];
}

export function validateClassName(name: string, path: FieldPath): FieldError[] {
  return name === "" ? [] : invalids(path, name, nameIsDnsSubdomain(name, false));
}

export function validateAmount(amount: string, path: FieldPath): FieldError[] {
  const value = parseQuantity(amount).value();
  if (value >= 0n) return [];
  return [invalid(path, Number(value), "must be a valid resource quantity")];
}

function validateStorageRequest(spec: PersistentVolumeClaimSpec, path: FieldPath): FieldError[] {
  const amount = spec.resources.requests?.["storage"];
  if (amount === undefined) return [required(path)];
  const quantity = parseQuantity(amount);
  if (quantity.sign() > 0) return validateQuantity("storage", amount, path);
  return [invalid(path, quantity.canonical(), "must be greater than zero")];
}

function validateDataSources(spec: PersistentVolumeClaimSpec, path: FieldPath): FieldError[] {
  const { dataSource: source, dataSourceRef: reference } = spec;
  const errors: FieldError[] = [];
  if (source !== undefined) errors.push(...validateReference(source, path.child("dataSource")));
  if (reference !== undefined) {
    errors.push(...validateReference(reference, path.child("dataSourceRef")));
  }
  if (source === undefined || reference === undefined) return errors;
  const { namespace = "", ...local } = reference;
  // What the message shows of a path is nothing.
  if (namespace !== "") {
    const text = "may not be specified when dataSourceRef.namespace is specified";
    errors.push(invalid(path, {}, text));
  } else if (!semanticEqual(source, local))
    errors.push(invalid(path, {}, "must match dataSourceRef"));
  return errors;
}

function validateReference(reference: TypedObjectReference, path: FieldPath): FieldError[] {
  const { kind, name, namespace = "" } = reference;
  const group = reference.apiGroup ?? "";
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(path.child("name")));
  if (kind === "") errors.push(required(path.child("kind")));
  if (group === "" && kind !== "PersistentVolumeClaim") {
    const text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(invalid(path, kind, text));
  }
  if (group !== "")
    errors.push(...invalids(path.child("apiGroup"), group, dns1123Subdomain(group)));
  if (namespace === "") return errors;
  const texts = nameIsDnsLabel(namespace, false);
  return [...errors, ...invalids(path.child("namespace"), namespace, texts)];
}

function validateUnchanged(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const before: Loose = { ...old.spec };
  const now: Loose = { ...claim.spec };
  if ((old.spec.volumeName ?? "") === "") before.volumeName = now.volumeName;
  if (mayNameClass(claim, old)) now.storageClassName = before.storageClassName;
  if (claim.status.phase === "Bound") {
    now.resources = withStorageOf(claim.spec, old.spec);
    now.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  const errors = validateClassAnnotation(claim, old);
  if (semanticEqual(now, before)) return errors;
  const text =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  return [...errors, forbidden(specPath, `${text}\n${unifiedDiff(pretty(before), pretty(now))}`)];
}

/** A class may be named later: the one of the annotation, or any if there is none. */
function mayNameClass(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const annotation = old.metadata.annotations?.[storageClassAnnotation];
  const { storageClassName: name } = claim.spec;
  if (name === undefined || old.spec.storageClassName !== undefined) return false;
  return annotation === undefined || annotation === name;
}

/** The annotation may only go when the field takes its place. */
function validateClassAnnotation(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldError[] {
  const was = old.metadata.annotations?.[storageClassAnnotation];
  const is = claim.metadata.annotations?.[storageClassAnnotation];
  if (was === is || (is === undefined && mayNameClass(claim, old))) return [];
  const at = FieldPath.of("metadata", "annotations").key(storageClassAnnotation);
  return [invalid(at, is ?? "", "field is immutable")];
}

function withStorageOf(
  spec: PersistentVolumeClaimSpec,
  other: PersistentVolumeClaimSpec,
): PersistentVolumeClaimSpec["resources"] {
  if (spec.resources.requests === undefined) return spec.resources;
  const storage = other.resources.requests?.["storage"] ?? "0";
  return { ...spec.resources, requests: { ...spec.resources.requests, storage } };
}

function pretty(spec: Loose): string {
  return JSON.stringify(internalForm("PersistentVolumeClaimSpec", spec), null, 1);
}

function validateSize(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const now = parseQuantity(claim.spec.resources.requests?.["storage"] ?? "0");
  const before = parseQuantity(old.spec.resources.requests?.["storage"] ?? "0");
  const capacity = parseQuantity(old.status.capacity?.["storage"] ?? "0");
  // An expansion that failed may be taken back, down to what there is.
  if (now.compare(before) >= 0 || now.compare(capacity) > 0) return [];
  const at = specPath.child("resources", "requests", "storage");
  return [forbidden(at, "field can not be less than status.capacity")];
}

function validateAttributesClassUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldError[] {
  const { volumeAttributesClassName: now } = claim.spec;
  if (now === old.spec.volumeAttributesClassName) return [];
  if (old.status.currentVolumeAttributesClassName === undefined || (now ?? "") !== "") return [];
  const to = now === undefined ? "nil" : "empty string";
  const text = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbidden(specPath.child("volumeAttributesClassName"), text)];
}
