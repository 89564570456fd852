// Namespaces: names without dots, because they are labels in DNS, and a life that ends in two steps.

import type { Namespace } from "../types.ts";
import { list, text } from "./absent.ts";
import { type FieldError, invalid } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsLabel } from "./names.ts";
import {
  validateFinalizerName,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./object-meta.ts";

const rules = { namespaced: false, name: nameIsDnsLabel };
const finalizersPath = FieldPath.of("spec", "finalizers");

export function validateNamespace(namespace: Namespace): FieldError[] {
  return [
    ...validateObjectMeta(namespace.metadata, rules),
    ...list(namespace.spec.finalizers).flatMap((name) =>
      validateFinalizerName(name, finalizersPath),
    ),
  ];
}

export function validateNamespaceUpdate(namespace: Namespace, old: Namespace): FieldError[] {
  return [
    ...validateNamespace(namespace),
    ...validateObjectMetaUpdate(namespace.metadata, old.metadata),
  ];
}

/** The phase follows from whether the namespace is being deleted. */
export function validateNamespaceStatusUpdate(namespace: Namespace, old: Namespace): FieldError[] {
  const errors = validateObjectMetaUpdate(namespace.metadata, old.metadata);
  const phase = text(namespace.status.phase);
  const isDeleted = namespace.metadata.deletionTimestamp !== undefined;
  if (phase === (isDeleted ? "Terminating" : "Active")) return errors;
  const detail = isDeleted
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [...errors, invalid(FieldPath.of("status", "Phase"), phase, detail)];
}

export function validateNamespaceFinalizeUpdate(
  namespace: Namespace,
  old: Namespace,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(namespace.metadata, old.metadata),
    ...list(namespace.spec.finalizers).flatMap((name, i) =>
      validateFinalizerName(name, finalizersPath.index(i)),
    ),
  ];
}
