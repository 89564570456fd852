// YAML as kubectl prints it, which is what go-yaml v2 makes of JSON: keys in order, lists not indented below their key, texts plain
// where they mean themselves, in blocks where they have lines, and long ones folded at spaces behind column 80.

import { isJsonObject, type JsonObject, type JsonValue } from "../api/json.ts";
import { sortedKeys } from "./json-printer.ts";
import { analyzeYamlText, type YamlTextFacts } from "./yaml-text-facts.ts";

const MAX_COLUMNS = 80;
/** Longer keys have to be marked as such. */
const MAX_KEY_BYTES = 128;

export function printYaml(value: JsonValue): string {
  if (Array.isArray(value) && value.length > 0) return listLines(value, 0).join("\n").concat("\n");
  if (isJsonObject(value) && sortedKeys(value).length > 0) {
    return mapLines(value, 0).join("\n").concat("\n");
  }
  return `${scalar(value, { indent: 2, column: 0 })}\n`;
}

function mapLines(value: JsonObject, indent: number): string[] {
  const pad = " ".repeat(indent);
  return sortedKeys(value).flatMap((key) => {
    const name = keyText(key);
    const isLong = Buffer.byteLength(key) > MAX_KEY_BYTES;
    const head = isLong ? `${pad}? ${name}\n${pad}:` : `${pad}${name}:`;
    return withHead(head, value[key] ?? null, indent);
  });
}

function withHead(head: string, value: JsonValue, indent: number): string[] {
  if (Array.isArray(value) && value.length > 0) return [head, ...listLines(value, indent)];
  if (isJsonObject(value) && sortedKeys(value).length > 0) {
    return [head, ...mapLines(value, indent + 2)];
  }
  const column = head.length - (head.lastIndexOf("\n") + 1) + 1;
  return [`${head} ${scalar(value, { indent: indent + 2, column })}`];
}

function listLines(items: readonly JsonValue[], indent: number): string[] {
  const pad = " ".repeat(indent);
  return items.flatMap((item) => {
    const lines = itemLines(item, indent + 2);
    const [first = "", ...rest] = lines;
    return [`${pad}- ${first.slice(Math.min(indent + 2, leading(first)))}`, ...rest];
  });
}

/** Its first line loses its indentation to the dash. */
function itemLines(item: JsonValue, indent: number): string[] {
  if (Array.isArray(item) && item.length > 0) return listLines(item, indent);
  if (isJsonObject(item) && sortedKeys(item).length > 0) return mapLines(item, indent);
  return [" ".repeat(indent) + scalar(item, { indent, column: indent })];
}

function leading(line: string): number {
  return line.length - line.trimStart().length;
}

interface Place {
  /** Of lines that follow. */
  readonly indent: number;
  /** Where it begins. */
  readonly column: number;
}

function scalar(value: JsonValue, place: Place): string {
  if (Array.isArray(value)) return "[]";
  if (typeof value === "string") return text(value, place);
  return isJsonObject(value) ? "{}" : String(value);
}

function keyText(key: string): string {
  const facts = analyzeYamlText(key);
  if (!facts.isItself || facts.hasLines) return doubleQuoted(key);
  if (facts.canBePlain) return key;
  return facts.canBeSingleQuoted ? `'${key.replaceAll("'", "''")}'` : doubleQuoted(key);
}

function text(value: string, place: Place): string {
  const facts = analyzeYamlText(value);
  if (facts.hasLines) {
    return facts.canBeBlock ? block(value, place) : doubleQuoted(value, place);
  }
  return facts.isItself ? oneLine(value, facts, place) : doubleQuoted(value, place);
}

function oneLine(value: string, facts: YamlTextFacts, place: Place): string {
  if (facts.canBePlain) return folded(value, place);
  if (!facts.canBeSingleQuoted) return doubleQuoted(value, place);
  const inside = value.replaceAll("'", "''");
  return `'${folded(inside, { ...place, column: place.column + 1 })}'`;
}

/** Single spaces become line breaks once the line is full. */
function folded(value: string, { indent, column }: Place): string {
  let [line, at] = ["", column];
  const words = value.split(/(?<=[^ ]) (?=[^ ])/);
  for (const [index, word] of words.entries()) {
    if (index > 0 && at > MAX_COLUMNS) {
      line += `\n${" ".repeat(indent)}`;
      at = indent;
    } else if (index > 0) {
      line += " ";
      at += 1;
    }
    line += word;
    at += Array.from(word).length;
  }
  return line;
}

function block(value: string, { indent }: Place): string {
  const hint = /^[ \n]/.test(value) ? "2" : "";
  const keep = value === "\n" || value.endsWith("\n\n") ? "+" : "";
  const chomp = value.endsWith("\n") ? keep : "-";
  const lines = (value.endsWith("\n") ? value.slice(0, -1) : value).split("\n");
  const shown = lines.map((line) => (line === "" ? "" : " ".repeat(indent) + line));
  return [`|${hint}${chomp}`, ...shown].join("\n");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1b": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\x85": "\\N",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

/** Of a key, if there is no place: keys are never folded. */
function doubleQuoted(value: string, place?: Place): string {
  const chars = Array.from(value);
  let [line, at] = ["", (place?.column ?? 0) + 1];
  for (const [index, char] of chars.entries()) {
    if (place !== undefined && at > MAX_COLUMNS && canFoldAt(chars, index)) {
      // A space at the beginning of a line would be lost.
      const mark = chars[index + 1] === " " ? "\\" : "";
      line += `\n${" ".repeat(place.indent)}${mark}`;
      at = place.indent + mark.length;
    } else {
      const shown = ESCAPES[char] ?? (isPrintable(char) ? char : numbered(char));
      line += shown;
      at += shown.length;
    }
  }
  return `"${line}"`;
}

function canFoldAt(chars: readonly string[], index: number): boolean {
  const isInside = index > 0 && index < chars.length - 1;
  return isInside && chars[index] === " " && chars[index - 1] !== " ";
}

function isPrintable(char: string): boolean {
  return !analyzeYamlText(char).hasSpecial;
}

function numbered(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}
