// JSON as kubectl prints it: keys in order, four spaces, and <, > and & escaped as Go does.

import { isJsonObject, type JsonObject, type JsonValue } from "../api/json.ts";

export function printJson(value: JsonValue): string {
  return `${written(value, "\n")}\n`;
}

/** On one line, without spaces. */
export function compactJson(value: JsonValue): string {
  return written(value, "");
}

/** In the order of their names, as Go has them. */
export function sortedKeys(object: JsonObject): readonly string[] {
  return Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort();
}

/** `lineBreak` is followed by the spaces of the line; "" for no lines at all. */
function written(value: JsonValue, lineBreak: string): string {
  const inner = lineBreak === "" ? "" : `${lineBreak}    `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const items = value.map((item) => inner + written(item, inner));
    return `[${items.join(",")}${lineBreak}]`;
  }
  if (!isJsonObject(value)) return quoted(value);
  const keys = sortedKeys(value);
  if (keys.length === 0) return "{}";
  const colon = lineBreak === "" ? ":" : ": ";
  const fields = keys.map(
    (key) => `${inner}${quoted(key)}${colon}${written(value[key] ?? null, inner)}`,
  );
  return `{${fields.join(",")}${lineBreak}}`;
}

function quoted(value: string | number | boolean | null): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
