// Whether two JSON values are the same. The order of keys does not matter; a key that is undefined is absent; null
// is a value.

import type { JsonObject, JsonValue } from "../json.ts";

export function jsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) {
    return true;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]));
  }
  return !Array.isArray(b) && objectsEqual(a, b);
}

function objectsEqual(a: JsonObject, b: JsonObject): boolean {
  for (const key in a) {
    const value = a[key];
    if (value !== b[key] || !Object.hasOwn(b, key)) {
      // Below: objects and lists, what is undefined on one side, and keys that the prototype has.
      if (!jsonEqual(value, Object.hasOwn(b, key) ? b[key] : undefined)) {
        return false;
      }
    }
  }
  for (const key in b) {
    if (b[key] !== undefined && !Object.hasOwn(a, key)) {
      return false;
    }
  }
  return true;
}
