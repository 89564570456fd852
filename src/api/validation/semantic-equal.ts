// Equality as the API means it: a list that is empty is a list that is absent, and null is absent. Quantities and
// times are compared as texts, which is right for decoded objects: those hold them in canonical form.

import type { JsonObject, JsonValue } from "../json.ts";
import { type FieldError, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";

/** Generated types are written for readers; as data they are JSON. */
export type JsonLike = JsonValue | object | undefined;

export function semanticEqual(a: JsonLike, b: JsonLike): boolean {
  if (a === b) return true;
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b);
  if (typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && equalLists(a, b);
  }
  return equalObjects(a as JsonObject, b as JsonObject);
}

/** `field is immutable`, with the new value, unless the two are equal. */
export function immutableField(value: JsonLike, old: JsonLike, path: FieldPath): FieldError[] {
  if (semanticEqual(value, old)) return [];
  return [invalid(path, value as JsonValue | undefined, "field is immutable")];
}

function isAbsent(value: JsonLike): value is null | undefined | [] {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function equalLists(a: readonly JsonLike[], b: readonly JsonLike[]): boolean {
  return a.length === b.length && a.every((item, i) => semanticEqual(item, b[i]));
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  for (const key in a) {
    const other = Object.hasOwn(b, key) ? b[key] : undefined;
    if (!semanticEqual(a[key], other)) return false;
  }
  for (const key in b) if (!Object.hasOwn(a, key) && !isAbsent(b[key])) return false;
  return true;
}
