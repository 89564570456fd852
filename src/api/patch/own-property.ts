// Objects whose keys clients chose. `constructor` and `__proto__` are good keys for a ConfigMap: reading must not find
// the prototype's, and writing must not replace the prototype.

import type { JsonObject, JsonValue } from "../json.ts";
import { setOwn } from "../object-form.ts";

/** The object's own value, never an inherited one. */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A copy that shares nothing with the value. */
export function cloneJson<T extends JsonValue>(value: T): T;
export function cloneJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map((item) => cloneJson(item));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = value[key];
    if (child !== undefined) {
      setOwn(copy, key, cloneJson(child));
    }
  }
  return copy;
}

/** A shallow copy without some keys. */
export function omit(object: JsonObject, ...keys: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value !== undefined && !keys.includes(key)) {
      setOwn(copy, key, value);
    }
  }
  return copy;
}
