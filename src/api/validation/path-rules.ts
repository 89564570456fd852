// Paths inside containers and volumes: relative, without "..", and not in the part that the kubelet's writer keeps
// for itself.

import { type FieldError, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";

export function validateNoBacksteps(value: string, path: FieldPath): FieldError[] {
  if (!hasBacksteps(value)) return [];
  return [invalid(path, value, "must not contain '..'")];
}

export function hasBacksteps(value: string): boolean {
  return value.includes("..") && value.split("/").includes("..");
}

/** Relative, and not above its start. */
export function validateDescendingPath(value: string, path: FieldPath): FieldError[] {
  const errors = value.startsWith("/") ? [invalid(path, value, "must be a relative path")] : [];
  return [...errors, ...validateNoBacksteps(value, path)];
}

/** As above; and names that start with ".." belong to the writer of the volume. */
export function validateLocalPath(value: string, path: FieldPath): FieldError[] {
  const errors = validateDescendingPath(value, path);
  if (value.startsWith("..") && !value.startsWith("../")) {
    errors.push(invalid(path, value, "must not start with '..'"));
  }
  return errors;
}
