// The fields that an applied configuration sets, and so owns. Objects that only hold others are not among them;
// items of lists, keys of maps, and what is null or {} are.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { getOwn } from "../patch/own-property.ts";
import type { ListSchema, MapSchema, ObjectSchema, TypeSchema } from "../schema/schema.ts";
import { canonical, type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { isNamedField, type Place, placeOfKey, placeOfRoot, placeOfValue } from "./field-walk.ts";
import { fieldElement, itemElement } from "./path-element.ts";

/** Throws a ListItemError if an item of a list with keys has none. */
export function fieldsOf(type: TypeSchema, object: JsonObject): FieldSet {
  const builder = new FieldSetBuilder();
  collectEntries({ builder, path: [] }, placeOfRoot(type), object);
  return canonical(builder.set);
}

interface Collector {
  readonly builder: FieldSetBuilder;
  readonly path: string[];
}

function collectEntries(
  into: Collector,
  place: ObjectSchema | MapSchema,
  object: JsonObject,
): void {
  for (const key of Object.keys(object)) {
    const value = getOwn(object, key);
    if (value === undefined) {
      continue;
    }
    into.path.push(fieldElement(key));
    collect(into, placeOfKey(place, key), value);
    if (isNothing(value) || !isNamedField(place, key)) {
      into.builder.insert(into.path);
    }
    into.path.pop();
  }
}

function collect(into: Collector, place: Place, value: JsonValue): void {
  if (place === "leaf") {
    into.builder.insert(into.path);
  } else if (place.is === "list") {
    collectItems(into, place, Array.isArray(value) ? value : []);
  } else if (isJsonObject(value)) {
    collectEntries(into, place, value);
  }
}

function collectItems(into: Collector, list: ListSchema, items: readonly JsonValue[]): void {
  const elements = items.map((item) => itemElement(list, item));
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const element of elements) {
    (seen.has(element) ? duplicates : seen).add(element);
  }
  for (const [i, item] of items.entries()) {
    const element = elements[i] ?? "";
    into.path.push(element);
    // Duplicates are owned together: nobody could say which one a field belongs to.
    if (!duplicates.has(element)) {
      collect(into, placeOfValue(list.items), item);
    }
    into.builder.insert(into.path);
    into.path.pop();
  }
}

function isNothing(value: JsonValue): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}
