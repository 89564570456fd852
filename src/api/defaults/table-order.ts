// Puts fields into the order of the tables, and keys of maps into alphabetical order. Defaulting and preparing add
// fields at the end of objects; on the wire they stand where the API has them.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { layoutOf } from "../object-form.ts";
import type { TypeSchema, ValueSchema } from "../schema/schema.ts";

/** Changes the object: parts that are out of order are replaced by copies that are in order. */
export function restoreTableOrder(type: TypeSchema, object: JsonObject): void {
  orderFields(type, object);
  const ordered = inOrder(type, object);
  if (ordered === object) return;
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, ordered);
}

function orderFields(type: TypeSchema, object: JsonObject): void {
  for (const key in object) {
    const field = type.fields.get(key);
    const value = object[key];
    if (field === undefined || typeof value !== "object" || value === null) continue;
    const ordered = orderValue(field.value, value);
    if (ordered !== value) object[key] = ordered;
  }
}

function orderValue(schema: ValueSchema, value: JsonValue): JsonValue {
  if (schema.is === "list" && Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const ordered = orderValue(schema.items, item);
      if (ordered !== item) value[i] = ordered;
    }
    return value;
  }
  if (!isJsonObject(value)) return value;
  if (schema.is === "object") {
    const type = schema.type();
    orderFields(type, value);
    return inOrder(type, value);
  }
  return schema.is === "map" ? sorted(schema, value) : value;
}

function inOrder(type: TypeSchema, object: JsonObject): JsonObject {
  const position = layoutOf(type).positions;
  let last = -1;
  for (const key in object) {
    const at = position.get(key) ?? last;
    if (at < last) return byPosition(object, position);
    last = at;
  }
  return object;
}

function byPosition(object: JsonObject, position: ReadonlyMap<string, number>): JsonObject {
  const end = position.size;
  const entries = Object.entries(object);
  entries.sort(([a], [b]) => (position.get(a) ?? end) - (position.get(b) ?? end));
  return Object.fromEntries(entries);
}

function sorted(schema: ValueSchema & { is: "map" }, map: JsonObject): JsonObject {
  let last: string | undefined;
  let isSorted = true;
  for (const key in map) {
    // The language puts keys such as "10" first, in the order of numbers, whatever is done about it.
    if (!/^(0|[1-9][0-9]{0,9})$/.test(key)) {
      if (last !== undefined && key < last) isSorted = false;
      last = key;
    }
    const value = map[key];
    if (typeof value !== "object" || value === null) continue;
    const ordered = orderValue(schema.values, value);
    if (ordered !== value) map[key] = ordered;
  }
  if (isSorted) return map;
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
