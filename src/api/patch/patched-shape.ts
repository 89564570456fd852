// A strategic merge patch can put a list where an object belongs. The API notices when it turns the result back
// into an object of the kind; its words differ from those for a body of the wrong shape.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { TypeSchema, ValueSchema } from "../schema/schema.ts";
import { goType } from "./go-format.ts";
import { invalidPatchResult } from "./patch-error.ts";

/** Throws if an object, list or map of the table is something else. Scalars are left to decoding. */
export function checkPatchedShape(type: TypeSchema, object: JsonObject, shownPatch: string): void {
  for (const [name, field] of type.fields) {
    const value = object[name];
    if (value !== null && value !== undefined) {
      checkValue(field.value, value, shownPatch);
    }
  }
}

function checkValue(schema: ValueSchema, value: JsonValue, shownPatch: string): void {
  switch (schema.is) {
    case "scalar":
      return;
    case "object":
      if (!isJsonObject(value)) {
        throw invalidPatchResult(shownPatch, `cannot restore struct from: ${kindOf(value)}`);
      }
      checkPatchedShape(schema.type(), value, shownPatch);
      return;
    case "map":
      if (!isJsonObject(value)) {
        throw invalidPatchResult(shownPatch, `cannot restore map from ${kindOf(value)}`);
      }
      checkItems(schema.values, Object.values(value), shownPatch);
      return;
    case "list":
      if (!Array.isArray(value)) {
        throw invalidPatchResult(shownPatch, `cannot restore slice from ${kindOf(value)}`);
      }
      checkItems(schema.items, value, shownPatch);
  }
}

function checkItems(
  schema: ValueSchema,
  items: readonly (JsonValue | undefined)[],
  shownPatch: string,
): void {
  // A list or map of scalars may be long and cannot be wrong here.
  if (schema.is === "scalar") {
    return;
  }
  for (const item of items) {
    if (item !== null && item !== undefined) {
      checkValue(schema, item, shownPatch);
    }
  }
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) {
    return "slice";
  }
  return isJsonObject(value) ? "map" : goType(value);
}
