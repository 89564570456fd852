// What an unquoted word of YAML means to the API: the rules of go-yaml v2, without base 60 and without dates.

import { DecodeError } from "./decode-error.ts";
import type { JsonValue } from "./json.ts";

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word) => [word, true] as const,
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word) => [word, false] as const,
  ),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
]);

/** `tag` is `!!int` and so on, or empty if none was given. Throws a DecodeError if the word is not of that type. */
export function plainYamlScalar(text: string, tag: string): JsonValue {
  const value = meaning(text);
  const asked =
    tag === "" || tag === tagOf(value) || (tag === "!!float" && tagOf(value) === "!!int");
  if (asked) return value;
  throw new DecodeError(`yaml: cannot decode ${tagOf(value)} \`${text}\` as a ${tag}`);
}

function meaning(text: string): JsonValue {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/.test(text)) return text;
  const plain = text.startsWith(".") ? text : text.replaceAll("_", "");
  return integer(plain) ?? decimal(plain) ?? notFinite(text) ?? text;
}

function integer(text: string): number | undefined {
  const parts = /^([-+]?)(0[bBoOxX]?)?([\da-fA-F]+)$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = "", prefix = "", digits = ""] = parts;
  // Number knows 0b, 0o and 0x; a bare 0 in front is the old spelling of octal.
  const value = Number(prefix === "0" ? `0o${digits}` : prefix + digits);
  if (!Number.isFinite(value)) return undefined;
  return sign === "-" ? -value : value;
}

function decimal(text: string): number | undefined {
  const isDecimal = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text);
  return isDecimal && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

function notFinite(text: string): undefined {
  if (/^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(text)) {
    throw new DecodeError(`yaml: json: unsupported value: ${text}`);
  }
  return undefined;
}

function tagOf(value: JsonValue): string {
  if (value === null) return "!!null";
  if (typeof value === "boolean") return "!!bool";
  if (typeof value === "string") return "!!str";
  return Number.isInteger(value) ? "!!int" : "!!float";
}
