// How strategic merge puts two lists together: items are matched by merge key (or by value, for scalars), and then
// brought into an order that keeps both the patch's order and, as far as that leaves room, the object's.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { goType, goValue } from "./go-format.ts";
import { getOwn } from "./own-property.ts";
import { failedPatch, rejectedPatch } from "./patch-error.ts";

export interface ListRules {
  /** Which field names an item; "" for scalars. */
  readonly mergeKey: string;
  /** What Go calls the type of an item, for one message. */
  readonly itemKind: string;
  readonly mergeItems: (original: JsonObject, patch: JsonObject) => JsonObject;
}

/** Items of both. `$patch` in an item of the patch deletes the item, or replaces the list. */
export function mergeLists(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  rules: ListRules,
): JsonValue[] {
  if (original.length === 0 && patch.length === 0) {
    return [];
  }
  if (!itemsAreObjects(original, patch)) {
    return inOrder([...new Set([...original, ...patch])], patch, original, "");
  }
  const { mergeKey } = rules;
  if (mergeKey === "") {
    throw failedPatch(`cannot merge lists without merge key for ${rules.itemKind}`);
  }
  const { kept, additions } = obeyDirectives(original, patch, mergeKey);
  const merged = [...kept];
  const places = placesOf(merged, mergeKey);
  for (const item of additions) {
    const key = keyOf(item, mergeKey);
    const at = places.get(key);
    const current = at === undefined ? undefined : merged[at];
    if (at === undefined || current === undefined) {
      places.set(key, merged.push(item) - 1);
    } else {
      merged[at] = rules.mergeItems(asObject(current), item);
    }
  }
  return inOrder(merged, additions, kept, mergeKey);
}

/** `$deleteFromPrimitiveList`. */
export function deleteFromList(
  original: readonly JsonValue[],
  toDelete: readonly JsonValue[],
  rules: ListRules,
): JsonValue[] {
  if (original.length === 0 && toDelete.length === 0) {
    return [];
  }
  return itemsAreObjects(original, toDelete)
    ? mergeLists(original, toDelete, rules)
    : withoutItems(original, toDelete);
}

function withoutItems(items: readonly JsonValue[], dropped: readonly JsonValue[]): JsonValue[] {
  const all = new Set(dropped);
  return items.filter((item) => !all.has(item));
}

/** `$setElementOrder`: items that it names stand in its order. */
export function inElementOrder(options: {
  readonly merged: readonly JsonValue[];
  readonly order: readonly JsonValue[];
  readonly original: readonly JsonValue[];
  readonly patch: readonly JsonValue[];
  readonly mergeKey: string;
}): JsonValue[] {
  const { merged, order, original, patch, mergeKey } = options;
  const items = inOrder(merged, order, original, mergeKey);
  if (original.length === 0 && patch.length === 0) {
    throw failedPatch("no elements in any of the given slices");
  }
  itemsAreObjects(original, patch);
  return items;
}

/** The patch may name only items of its `$setElementOrder`, and in the same order. Deletions do not count. */
export function checkElementOrder(
  patch: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string,
): void {
  if (order.length === 0 || patch.length === 0) {
    return;
  }
  const items = mergeKey === "" ? patch : patch.filter((item) => directiveOf(item) === undefined);
  let next = 0;
  for (const place of order) {
    const item = items[next];
    if (item !== undefined && sameItem(item, place, mergeKey)) {
      next += 1;
    }
  }
  if (next < items.length) {
    throw failedPatch(
      `The order in patch list:\n${goValue([...patch])}\n doesn't match $setElementOrder list:\n${goValue([...order])}\n`,
    );
  }
}

export function wrongArgument(wanted: "list" | "object", value: JsonValue): Error {
  const type = wanted === "list" ? "[]interface {}" : "map[string]interface {}";
  return failedPatch(`expected a ${type}, but received a ${shownType(value)}`);
}

/** An unknown `$patch`. */
export function unknownDirective(directive: JsonValue, object: JsonObject): Error {
  const shown = typeof directive === "string" ? directive : `%!s(${shownDirective(directive)})`;
  return failedPatch(`unknown patch type: ${shown} in map: ${goValue(object)}`);
}

function obeyDirectives(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
): { readonly kept: readonly JsonValue[]; readonly additions: readonly JsonObject[] } {
  const additions: JsonObject[] = [];
  const deleted = new Set<JsonValue>();
  let replaced = false;
  for (const item of patch.map(asObject)) {
    switch (directiveOf(item)) {
      case undefined:
        additions.push(item);
        break;
      case "delete":
        deleted.add(keyOf(item, mergeKey));
        break;
      case "replace":
        replaced = true;
        break;
      case "merge":
        throw failedPatch("merging lists cannot yet be specified in the patch");
      default:
        throw unknownDirective(directiveOf(item) ?? null, item);
    }
  }
  if (replaced) {
    return { kept: additions, additions: [] };
  }
  return {
    kept: original.filter((item) => !deleted.has(keyOf(asObject(item), mergeKey))),
    additions,
  };
}

function directiveOf(item: JsonValue): JsonValue | undefined {
  return isJsonObject(item) ? getOwn(item, "$patch") : undefined;
}

/**
 * Items that the patch names stand in the patch's order, all others in the object's; each of the others comes
 * before the first of the patch's items that it preceded in the object.
 */
function inOrder(
  items: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  ownOrder: readonly JsonValue[],
  mergeKey: string,
): JsonValue[] {
  const identity = (item: JsonValue): JsonValue =>
    mergeKey === "" ? item : keyOf(asObject(item), mergeKey);
  const patchPlaces = placesOf(patchOrder, mergeKey);
  const ownPlaces = placesOf(ownOrder, mergeKey);
  const patchPlace = (item: JsonValue): number => patchPlaces.get(identity(item)) ?? -1;
  const ownPlace = (item: JsonValue): number => ownPlaces.get(identity(item)) ?? -1;
  const named = items.filter((item) => patchPlace(item) >= 0);
  const others = items.filter((item) => patchPlace(item) < 0);
  named.sort((a, b) => patchPlace(a) - patchPlace(b));
  others.sort((a, b) => ownPlace(a) - ownPlace(b));

  const result: JsonValue[] = [];
  let next = 0;
  for (const item of named) {
    const limit = ownPlace(item);
    for (let other = others[next]; other !== undefined; other = others[next]) {
      if (!isBefore(ownPlace(other), limit)) {
        break;
      }
      result.push(other);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function isBefore(place: number, limit: number): boolean {
  return place >= 0 && place < limit;
}

/** Where each item stands first. */
function placesOf(items: readonly JsonValue[], mergeKey: string): Map<JsonValue, number> {
  const places = new Map<JsonValue, number>();
  for (const [i, item] of items.entries()) {
    const key = mergeKey === "" ? item : keyOf(asObject(item), mergeKey);
    if (!places.has(key)) {
      places.set(key, i);
    }
  }
  return places;
}

function sameItem(a: JsonValue, b: JsonValue, mergeKey: string): boolean {
  return mergeKey === "" ? a === b : keyOf(asObject(a), mergeKey) === keyOf(asObject(b), mergeKey);
}

function keyOf(item: JsonObject, mergeKey: string): JsonValue {
  const key = getOwn(item, mergeKey);
  if (key === undefined) {
    throw failedPatch(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return key;
}

function asObject(item: JsonValue): JsonObject {
  if (!isJsonObject(item)) {
    throw wrongArgument("object", item);
  }
  return item;
}

/** Whether the items of both lists are objects; mixtures are refused. */
function itemsAreObjects(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  const types = new Set([...a, ...b].map(goType));
  if (types.has("[]interface {}")) {
    throw rejectedPatch("lists of lists are not supported");
  }
  if (types.size > 1) {
    throw failedPatch(
      `list element types are not identical: [${goValue([...a])} ${goValue([...b])}]`,
    );
  }
  return types.has("map[string]interface {}");
}

function shownType(value: JsonValue): string {
  return value === null ? "%!s(<nil>)" : goType(value);
}

function shownDirective(value: JsonValue): string {
  return value === null ? "<nil>" : `${goType(value)}=${goValue(value)}`;
}
