// JSON merge patch, as the API does it: RFC 7396, except that nulls are also taken out of the objects in a list,
// unless the list replaces an object.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { setOwn } from "../object-form.ts";
import { getOwn } from "./own-property.ts";
import { badPatch, wrongType } from "./patch-error.ts";

/**
 * The patched object. Neither argument is changed; unchanged parts are shared with the target. Objects that the
 * patch reaches have their keys sorted, which is how messages show the result.
 */
export function applyMergePatch(target: JsonObject, patch: JsonValue): JsonObject {
  if (patch === null) {
    throw badPatch("Invalid JSON Patch");
  }
  if (!isJsonObject(patch)) {
    throw badPatch(
      `error decoding patch: ${wrongType(patch, "value of type map[string]interface {}")}`,
    );
  }
  return mergeObjects(target, patch);
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const key of sortedKeys(target, patch)) {
    const value = mergedValue(getOwn(target, key), getOwn(patch, key));
    if (value !== undefined) {
      setOwn(merged, key, value);
    }
  }
  return merged;
}

function mergedValue(
  current: JsonValue | undefined,
  patch: JsonValue | undefined,
): JsonValue | undefined {
  if (patch === undefined) {
    return current;
  }
  if (patch === null) {
    return undefined;
  }
  if (!isJsonObject(current)) {
    return withoutNulls(patch);
  }
  return isJsonObject(patch) ? mergeObjects(current, patch) : patch;
}

/** Takes null out of objects, at any depth. Elements of a list stay, even if they are null. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(withoutNulls);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const kept: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const child = value[key];
    if (child !== null && child !== undefined) {
      setOwn(kept, key, withoutNulls(child));
    }
  }
  return kept;
}

function sortedKeys(a: JsonObject, b: JsonObject): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
}
