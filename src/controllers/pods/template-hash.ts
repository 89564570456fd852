// A short name for the content of a pod template: templates that the API takes for equal have equal names, on every machine and
// whatever the order of their keys. Made of digits and consonants only, so that it is a valid label and no word of any language.

import type { JsonObject, JsonValue } from "../../api/json.ts";
import type { PodTemplateSpec } from "../../api/types.ts";

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** Different templates can share a name: then a count of collisions makes another. */
export function templateHash(template: PodTemplateSpec, collisionCount?: number): string {
  const text = canonical(template as JsonObject) ?? "";
  const hash = fnv1a(collisionCount === undefined ? text : `${text}#${collisionCount}`);
  return Array.from(String(hash), safeLetter).join("");
}

/** JSON with sorted keys; undefined for what is absent: null and empty lists too. */
function canonical(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    return `[${value.map((item) => canonical(item) ?? "null").join(",")}]`;
  }
  const fields = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const text = canonical(value[key]);
      return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
    });
  return `{${fields.join(",")}}`;
}

/** Of the UTF-8 text, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  }
  return hash >>> 0;
}

function safeLetter(digit: string): string {
  return LETTERS.charAt(digit.charCodeAt(0) % LETTERS.length);
}
