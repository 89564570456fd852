// Values as Go prints them. Some messages of the API carry such text, and clients show it: `map[image:x]`.

import type { JsonValue } from "../json.ts";
import { getOwn } from "./own-property.ts";

/** As `%v` does: `map[a:1 b:[x y]]`, `<nil>`. */
export function goValue(value: JsonValue | undefined): string {
  if (value === null || value === undefined) {
    return "<nil>";
  }
  if (Array.isArray(value)) {
    return `[${value.map(goValue).join(" ")}]`;
  }
  if (typeof value === "object") {
    const keys = Object.keys(value).sort();
    return `map[${keys.map((key) => `${key}:${goValue(getOwn(value, key))}`).join(" ")}]`;
  }
  return typeof value === "number" ? goNumber(value) : String(value);
}

/** As `%#v` does: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: JsonValue | undefined): string {
  if (value === null || value === undefined) {
    return "interface {}(nil)";
  }
  if (Array.isArray(value)) {
    return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  }
  if (typeof value === "object") {
    const keys = Object.keys(value).sort();
    const pairs = keys.map((key) => `${JSON.stringify(key)}:${goSyntax(getOwn(value, key))}`);
    return `map[string]interface {}{${pairs.join(", ")}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** As `%T` does. Whole numbers are integers. */
export function goType(value: JsonValue | undefined): string {
  if (value === null || value === undefined) {
    return "<nil>";
  }
  if (Array.isArray(value)) {
    return "[]interface {}";
  }
  if (typeof value === "object") {
    return "map[string]interface {}";
  }
  if (typeof value === "number") {
    return Number.isInteger(value) ? "int64" : "float64";
  }
  return typeof value === "boolean" ? "bool" : "string";
}

/** What a JSON decoder in Go calls the value in its complaints. */
export function jsonTypeName(value: JsonValue): string {
  if (Array.isArray(value)) {
    return "array";
  }
  if (typeof value === "boolean") {
    return "bool";
  }
  return value === null ? "null" : typeof value;
}

/** JSON with sorted keys and with `<`, `>` and `&` escaped, as Go writes maps. */
export function goJson(value: JsonValue): string {
  if (Array.isArray(value)) {
    return `[${value.map(goJson).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) {
    return escapeHtml(JSON.stringify(value));
  }
  const pairs: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const child = getOwn(value, key);
    if (child !== undefined) {
      pairs.push(`${escapeHtml(JSON.stringify(key))}:${goJson(child)}`);
    }
  }
  return `{${pairs.join(",")}}`;
}

function escapeHtml(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// Go writes large floats with an exponent sooner than JavaScript does, and pads it to two digits.
function goNumber(value: number): string {
  if (Number.isInteger(value) && Number.isSafeInteger(value)) {
    return String(value);
  }
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 21) {
    return String(value);
  }
  return value
    .toExponential()
    .replace(/e([+-])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`);
}
