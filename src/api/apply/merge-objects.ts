// Lays an applied configuration over an object. Nothing is removed: fields that the configuration does not mention
// stay, and items of lists with keys are merged one by one.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { setOwn } from "../object-form.ts";
import { getOwn } from "../patch/own-property.ts";
import type { ListSchema, MapSchema, ObjectSchema, TypeSchema } from "../schema/schema.ts";
import { type Place, placeOfKey, placeOfRoot, placeOfValue } from "./field-walk.ts";
import { itemElement } from "./path-element.ts";

/** Neither argument is changed; the result shares parts with both. */
export function mergeObjects(type: TypeSchema, live: JsonObject, applied: JsonObject): JsonObject {
  return mergeEntries(placeOfRoot(type), live, applied);
}

function mergeEntries(
  place: ObjectSchema | MapSchema,
  live: JsonObject,
  applied: JsonObject,
): JsonObject {
  const merged: JsonObject = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const value = mergeValues(placeOfKey(place, key), getOwn(live, key), getOwn(applied, key));
    if (value !== undefined) {
      setOwn(merged, key, value);
    }
  }
  return merged;
}

function mergeValues(
  place: Place,
  live: JsonValue | undefined,
  applied: JsonValue | undefined,
): JsonValue | undefined {
  if (live === undefined || applied === undefined) {
    return live === undefined ? applied : live;
  }
  // Null in the configuration claims a field that holds others, but takes nothing out of it.
  if (place === "leaf" || (isNothing(live) && isNothing(applied))) {
    return applied;
  }
  if (place.is === "list") {
    return mergeLists(place, asList(live), asList(applied));
  }
  return mergeEntries(place, asObject(live), asObject(applied));
}

/**
 * Items of the configuration stand in its order. Items that only the object has come as early as the order of the
 * object allows: they are passed over only by what both have.
 */
function mergeLists(
  list: ListSchema,
  live: readonly JsonValue[],
  applied: readonly JsonValue[],
): JsonValue[] {
  const own = live.map((item) => itemElement(list, item));
  const wanted = applied.map((item) => itemElement(list, item));
  const places = placesOf(own);
  const cursor = new LiveCursor(own, wanted);
  const merged: JsonValue[] = [];
  for (const [i, element] of wanted.entries()) {
    // Not spread into one call: a list may be longer than a call has room for.
    for (const at of cursor.advanceTo(element)) {
      merged.push(live[at] ?? null);
    }
    const place = places.get(element);
    // Duplicates cannot be told apart, so the configuration's item replaces them all.
    const current = place === undefined || place === "many" ? undefined : live[place];
    const item = applied[i] ?? null;
    merged.push(mergeValues(placeOfValue(list.items), current, item) ?? item);
  }
  return [...merged, ...cursor.rest().map((at) => live[at] ?? null)];
}

/** Goes through the items of the object while the items of the configuration are taken. */
class LiveCursor {
  readonly #own: readonly string[];
  readonly #wanted: ReadonlySet<string>;
  /** What both have and is not yet taken, in the order of the configuration. */
  readonly #shared: string[];
  readonly #taken = new Set<string>();
  #at = 0;

  constructor(own: readonly string[], wanted: readonly string[]) {
    const known = new Set(own);
    this.#own = own;
    this.#wanted = new Set(wanted);
    this.#shared = wanted.filter((element) => known.has(element)).reverse();
  }

  /** The object's items that come before the configuration's next one. */
  advanceTo(element: string): number[] {
    const others: number[] = [];
    let next = this.#own[this.#at];
    while (next !== undefined && next !== element) {
      if (!this.#wanted.has(next)) {
        others.push(this.#at);
      } else if (this.#shared.at(-1) === undefined || this.#shared.at(-1) === next) {
        // Its turn has passed or will come; what stands behind it waits.
        this.#at += this.#taken.has(next) ? 1 : 0;
        break;
      }
      this.#at += 1;
      next = this.#own[this.#at];
    }
    this.#take(element);
    return others;
  }

  /** The object's items that are left. */
  rest(): number[] {
    const left = this.#own.slice(this.#at);
    return left.flatMap((element, i) => (this.#wanted.has(element) ? [] : [this.#at + i]));
  }

  #take(element: string): void {
    this.#taken.add(element);
    if (this.#own[this.#at] === element) {
      this.#at += 1;
    }
    if (this.#shared.at(-1) === element) {
      this.#shared.pop();
    }
  }
}

function placesOf(elements: readonly string[]): Map<string, number | "many"> {
  const places = new Map<string, number | "many">();
  for (const [i, element] of elements.entries()) {
    places.set(element, places.has(element) ? "many" : i);
  }
  return places;
}

function isNothing(value: JsonValue): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function asObject(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}

function asList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
