// One step into an object, written as managedFields writes it: `f:name` for a field or a key of a map,
// `k:{"name":"c"}` for an item known by its keys, `v:"x"` for an item of a set, `i:3` for a place in a list. Equal
// steps have equal text, so that text is all there is to compare.

import { isJsonObject, type JsonValue } from "../json.ts";
import { goJson, goValue } from "../patch/go-format.ts";
import { getOwn } from "../patch/own-property.ts";
import type { ListSchema } from "../schema/schema.ts";

/** A list cannot be understood as one of items with keys. The message is the API's. */
export class ListItemError extends Error {
  override readonly name = "ListItemError";
}

export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** Which item of its list this is. A key that is missing counts as its default. */
export function itemElement(list: ListSchema, item: JsonValue): string {
  return list.listType === "map" ? keyElement(list, item) : valueElement(item);
}

/** Sorts in place, in the order in which managedFields lists steps: fields, keys, values, indexes. */
export function sortElements(elements: string[]): string[] {
  if (elements.length < 2) {
    return elements;
  }
  if (elements.every((element) => rankOf(element) < 2)) {
    return elements.sort();
  }
  const parsed = new Map<string, JsonValue>();
  for (const element of elements) {
    if (rankOf(element) >= 2) {
      parsed.set(element, JSON.parse(element.slice(2)) as JsonValue);
    }
  }
  return elements.sort(
    (a, b) => rankOf(a) - rankOf(b) || compareValues(parsed.get(a) ?? a, parsed.get(b) ?? b),
  );
}

/** As messages write it: `.data`, `[name="c"]`, `[="x"]`, `[3]`. */
export function elementText(element: string): string {
  const content = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${content}`;
    case "k": {
      const keys = Object.entries(JSON.parse(content) as Record<string, JsonValue>);
      return `[${keys.map(([name, value]) => `${name}=${valueText(value)}`).join(",")}]`;
    }
    case "v":
      return `[=${valueText(JSON.parse(content) as JsonValue)}]`;
    default:
      return `[${content}]`;
  }
}

/**
 * The same step in the one form that we write. Undefined for a kind of step that we do not know, which is ignored;
 * throws on what cannot be a step.
 */
export function canonicalElement(text: string): string | undefined {
  if (text[1] !== ":") {
    throw new ListItemError(`missing colon: ${text}`);
  }
  const content = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "k": {
      const keys = JSON.parse(content) as JsonValue;
      if (!isJsonObject(keys)) {
        throw new ListItemError(`not an object of keys: ${text}`);
      }
      return `k:${goJson(keys)}`;
    }
    case "v":
      return `v:${goJson(JSON.parse(content) as JsonValue)}`;
    case "i":
      if (!/^[+-]?\d+$/.test(content) || !Number.isSafeInteger(Number(content))) {
        throw new ListItemError(`not an index: ${text}`);
      }
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

function keyElement(list: ListSchema, item: JsonValue): string {
  if (item === null) {
    throw new ListItemError("associative list with keys may not have a null element");
  }
  if (!isJsonObject(item)) {
    throw new ListItemError("associative list with keys may not have non-map elements");
  }
  const type = list.items.is === "object" ? list.items.type() : undefined;
  const pairs: string[] = [];
  for (const name of list.keys.length > 1 ? [...list.keys].sort() : list.keys) {
    const value = getOwn(item, name) ?? type?.fields.get(name)?.default;
    if (value !== undefined) {
      pairs.push(`${JSON.stringify(name)}:${goJson(value)}`);
    }
  }
  if (pairs.length === 0) {
    throw new ListItemError(
      `associative list with keys has an element that omits all key fields ${goValue(list.keys.map((key) => JSON.stringify(key)))} (and doesn't have default values for any key fields)`,
    );
  }
  return `k:{${pairs.join(",")}}`;
}

function valueElement(item: JsonValue): string {
  if (item === null) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) {
    throw new ListItemError("not supported: associative list with lists as elements");
  }
  if (typeof item === "object") {
    throw new ListItemError("associative list without keys has an element that's a map type");
  }
  return `v:${goJson(item)}`;
}

const ranks = ".fkvi";

function rankOf(element: string): number {
  return ranks.indexOf(element.charAt(0));
}

/** Numbers first, then text, then booleans, then what holds other values. */
function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) {
    return rank;
  }
  if (typeof a === "string" && typeof b === "string") {
    return compareText(a, b);
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    return compareKeys(Object.entries(a), Object.entries(b));
  }
  return Number(a) - Number(b);
}

type Keys = readonly (readonly [string, JsonValue | undefined])[];

function compareKeys(a: Keys, b: Keys): number {
  for (const [i, [name, value]] of a.entries()) {
    const other = b[i];
    if (other === undefined) {
      return 1;
    }
    const order = compareText(name, other[0]) || compareValues(value ?? null, other[1] ?? null);
    if (order !== 0) {
      return order;
    }
  }
  return a.length - b.length;
}

function valueRank(value: JsonValue): number {
  return ["number", "string", "boolean", "object"].indexOf(typeof value);
}

function compareText(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}

function valueText(value: JsonValue): string {
  return typeof value === "string" ? JSON.stringify(value) : goValue(value);
}
