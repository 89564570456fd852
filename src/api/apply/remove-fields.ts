// Takes fields out of an object. What is left without content becomes null, not absent: somebody may still own it,
// and only decoding makes the two the same.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { setOwn } from "../object-form.ts";
import type { ListSchema, MapSchema, ObjectSchema, TypeSchema } from "../schema/schema.ts";
import { asMember, below, type FieldSet, hasMember, isEmptySet } from "./field-set.ts";
import { isNamedField, type Place, placeOfKey, placeOfRoot, placeOfValue } from "./field-walk.ts";
import { fieldElement, itemElement } from "./path-element.ts";

/** The object without the members of the set. It is not changed, and shares what stays. */
export function removeFields(type: TypeSchema, object: JsonObject, set: FieldSet): JsonObject {
  return asObject(removeFrom(placeOfRoot(type), object, set));
}

/**
 * The same set with the fields that lead to its members as members. Keys of maps and items of lists do not become
 * members: that somebody owns something in them does not make them his.
 */
export function withNamedFields(type: TypeSchema, set: FieldSet): FieldSet {
  return nameFields(placeOfRoot(type), set);
}

function removeFrom(place: Place, value: JsonValue, set: FieldSet): JsonValue {
  if (place === "leaf") {
    // Of what is owned as a whole nothing can be removed but the whole.
    return typeof value === "object" ? null : value;
  }
  if (place.is === "list") {
    return Array.isArray(value) ? removeItems(place, value, set) : null;
  }
  return isJsonObject(value) ? removeEntries(place, value, set) : null;
}

function removeEntries(
  place: ObjectSchema | MapSchema,
  object: JsonObject,
  set: FieldSet,
): JsonValue {
  const left: JsonObject = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    const element = fieldElement(key);
    if (value === undefined || hasMember(set, element)) {
      continue;
    }
    const inner = below(set, element);
    setOwn(left, key, isEmptySet(inner) ? value : removeFrom(placeOfKey(place, key), value, inner));
  }
  return Object.keys(left).length > 0 ? left : null;
}

function removeItems(list: ListSchema, items: readonly JsonValue[], set: FieldSet): JsonValue {
  const left: JsonValue[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    if (hasMember(set, element)) {
      continue;
    }
    const inner = below(set, element);
    left.push(isEmptySet(inner) ? item : removeFrom(placeOfValue(list.items), item, inner));
  }
  return left.length > 0 ? left : null;
}

function nameFields(place: Place, set: FieldSet): FieldSet {
  const named: Record<string, FieldSet> = {};
  for (const element in set) {
    const inner = below(set, element);
    const node = set[element] ?? {};
    if (isEmptySet(inner)) {
      named[element] = node;
      continue;
    }
    const child = nameFields(placeBelow(place, element), inner);
    named[element] = isField(place, element) ? asMember(child) : child;
  }
  return named;
}

function placeBelow(place: Place, element: string): Place {
  if (place === "leaf") {
    return "leaf";
  }
  if (place.is === "list") {
    return placeOfValue(place.items);
  }
  return placeOfKey(place, element.slice(2));
}

function isField(place: Place, element: string): boolean {
  return place !== "leaf" && place.is !== "list" && isNamedField(place, element.slice(2));
}

function asObject(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}
