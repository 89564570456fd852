// --sort-by: numbers by size, times by time, everything else as text; what lacks the field comes first.

import type { JsonValue } from "../api/json.ts";
import { parseJsonPath } from "./json-path.ts";
import { compactJson } from "./json-printer.ts";

/** Throws CliError if the path is not understood. */
export function sortedBy<T>(
  items: readonly T[],
  path: string,
  objectOf: (item: T) => JsonValue,
): readonly T[] {
  const values = parseJsonPath(path);
  const keyed = items.map((item) => ({ item, key: values(objectOf(item))[0] }));
  return keyed.toSorted((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

function compare(a: JsonValue | undefined, b: JsonValue | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [one, other] = [textOf(a), textOf(b)];
  return one < other ? -1 : Number(one > other);
}

function textOf(value: JsonValue): string {
  return typeof value === "object" ? compactJson(value) : String(value);
}
