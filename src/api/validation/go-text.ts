// How the API's messages show values: strings quoted as Go quotes them, anything else as Go's JSON.

import type { JsonValue } from "../json.ts";

const plain = /^[ !#-[\]-~]*$/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const named: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

/** `"a\tb"`, with the escapes of Go's %q. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text.toWellFormed()) quoted += escaped(character);
  return `${quoted}"`;
}

/** JSON with the three characters escaped that Go's encoder escapes for the sake of HTML. */
export function goJson(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${hex(character.codePointAt(0) ?? 0, 4)}`,
  );
}

function escaped(character: string): string {
  const short = named.get(character);
  if (short !== undefined) return short;
  if (printable.test(character)) return character;
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return `\\x${hex(point, 2)}`;
  return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
}

function hex(point: number, digits: number): string {
  return point.toString(16).padStart(digits, "0");
}
