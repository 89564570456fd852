// What an update changes, as sets of fields. Only what differs is looked at closely: equal scalars cost a comparison
// and no path, equal lists one walk.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { jsonEqual } from "../patch/json-equal.ts";
import { getOwn } from "../patch/own-property.ts";
import type { ListSchema, MapSchema, ObjectSchema, TypeSchema } from "../schema/schema.ts";
import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { type Place, placeOfKey, placeOfRoot, placeOfValue } from "./field-walk.ts";
import type { FieldTree } from "./ignored-fields.ts";
import { fieldElement, itemElement } from "./path-element.ts";

/** The steps of both sets are in no particular order. */
export interface Changes {
  /** Added or given another value. */
  readonly written: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two objects of the type. Throws a ListItemError if an item of a list with keys has none. Duplicates in
 * such a list are compared as one.
 */
export function compareObjects(
  type: TypeSchema,
  before: JsonObject,
  after: JsonObject,
  ignored: FieldTree,
): Changes {
  const comparison = new Comparison();
  comparison.entries(placeOfRoot(type), before, after, ignored);
  return comparison;
}

class Comparison implements Changes {
  readonly #written = new FieldSetBuilder();
  readonly #removed = new FieldSetBuilder();
  readonly #path: string[] = [];

  get written(): FieldSet {
    return this.#written.set;
  }

  get removed(): FieldSet {
    return this.#removed.set;
  }

  entries(
    place: ObjectSchema | MapSchema,
    before: JsonObject,
    after: JsonObject,
    ignored?: FieldTree,
  ): void {
    for (const key in before) {
      const value = before[key];
      const other = getOwn(after, key);
      // Undefined is a missing key: one that only `after` has comes below.
      if (value !== undefined && value !== other) {
        this.#entry({ place, key, ignored: ignored?.get(key) }, value, other);
      }
    }
    for (const key in after) {
      const value = after[key];
      if (value !== undefined && getOwn(before, key) === undefined) {
        this.#entry({ place, key, ignored: ignored?.get(key) }, undefined, value);
      }
    }
  }

  #entry(
    at: {
      readonly place: ObjectSchema | MapSchema;
      readonly key: string;
      readonly ignored: FieldTree | "all" | undefined;
    },
    before: JsonValue | undefined,
    after: JsonValue | undefined,
  ): void {
    if (at.ignored === "all") {
      return;
    }
    this.#path.push(fieldElement(at.key));
    this.#value(placeOfKey(at.place, at.key), before, after, at.ignored);
    this.#path.pop();
  }

  #value(
    place: Place,
    before: JsonValue | undefined,
    after: JsonValue | undefined,
    ignored?: FieldTree,
  ): void {
    if (place === "leaf" || (isEmptyValue(before) && isEmptyValue(after))) {
      this.#leaf(before, after);
    } else if (place.is === "list") {
      this.#list(place, before, after);
    } else {
      this.entries(place, asObject(before), asObject(after), ignored);
      this.#presence(before, after);
    }
  }

  #leaf(before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before === undefined || after === undefined) {
      this.#presence(before, after);
    } else if (!jsonEqual(before, after)) {
      this.#written.insert(this.#path);
    }
  }

  /** What holds other values is itself written or removed if it appears or disappears. */
  #presence(before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before === undefined) {
      this.#written.insert(this.#path);
    } else if (after === undefined) {
      this.#removed.insert(this.#path);
    }
  }

  #list(list: ListSchema, before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before !== undefined && jsonEqual(before, after)) {
      return;
    }
    const old = itemsByElement(list, before);
    const current = itemsByElement(list, after);
    for (const [element, items] of old) {
      this.#items(list, element, items, current.get(element) ?? []);
    }
    for (const [element, items] of current) {
      if (!old.has(element)) {
        this.#items(list, element, [], items);
      }
    }
    this.#presence(before, after);
  }

  #items(
    list: ListSchema,
    element: string,
    before: readonly JsonValue[],
    after: readonly JsonValue[],
  ): void {
    const place = placeOfValue(list.items);
    this.#path.push(element);
    if (before.length <= 1 && after.length <= 1) {
      this.#value(place, before[0], after[0]);
    } else if (before.length > 1 && after.length > 1) {
      this.#leaf([...before], [...after]);
    } else if (before.length > 1) {
      this.#replaceDuplicates(place, after[0]);
    } else {
      this.#becomeDuplicates(place, before[0]);
    }
    this.#path.pop();
  }

  /** Duplicates are one leaf; what they become is written anew. */
  #replaceDuplicates(place: Place, after: JsonValue | undefined): void {
    if (after !== undefined) {
      this.#value(place, undefined, after);
    }
    this.#removed.insert(this.#path);
  }

  #becomeDuplicates(place: Place, before: JsonValue | undefined): void {
    if (before !== undefined) {
      this.#value(place, before, undefined);
    }
    this.#written.insert(this.#path);
  }
}

/** Items by which one they are. More than one under the same key are duplicates. */
function itemsByElement(
  list: ListSchema,
  value: JsonValue | undefined,
): Map<string, readonly JsonValue[]> {
  const items = new Map<string, readonly JsonValue[]>();
  for (const item of Array.isArray(value) ? value : []) {
    const element = itemElement(list, item);
    const same = items.get(element);
    items.set(element, same === undefined ? [item] : [...same, item]);
  }
  return items;
}

/** Absent, null, {} and [] hold nothing that could be owned in them, and are owned as they are. */
function isEmptyValue(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) {
    return true;
  }
  if (typeof value !== "object" || Array.isArray(value)) {
    return Array.isArray(value) && value.length === 0;
  }
  for (const _ in value) {
    return false;
  }
  return true;
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
