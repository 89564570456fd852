// JSON as it comes over the wire. JSON.parse does the work; what it cannot tell (a key that is given twice, in which
// words the API complains about a mistake) is found out by slower readers that run only when there is something to find.

import { DecodeError } from "./decode-error.ts";
import { isJsonObject, type JsonValue } from "./json.ts";
import { duplicateFields, endOfString } from "./json-text-duplicates.ts";
import { jsonSyntaxError, maxJsonDepth } from "./json-text-syntax.ts";

export interface ParsedText {
  readonly value: JsonValue;
  /** Fields that were given more than once, by path: `data.a`, `spec.containers[0].name`. The last one counts. */
  readonly duplicates: readonly string[];
  /** How the API tells of duplicates in YAML: by line, all in one text. */
  readonly duplicatesInYaml?: string;
}

/** Throws a DecodeError with the API's words for the mistake. `__proto__` is a key like any other. */
export function parseJsonText(text: string): ParsedText {
  const parsed = parse(text);
  const members = countMembers(text);
  return { value: parsed, duplicates: members === sizeOf(parsed) ? [] : duplicateFields(text) };
}

function parse(text: string): JsonValue {
  const wellFormed = text.includes("\\u") ? withoutLoneSurrogates(text) : text;
  try {
    return JSON.parse(wellFormed) as JsonValue;
  } catch (err) {
    throw new DecodeError(jsonSyntaxError(text), { cause: err });
  }
}

/** Half a character cannot be written in UTF-8: U+FFFD takes its place, as in the API. */
function withoutLoneSurrogates(text: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text;
  return text.replace(
    /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[\s\S]/g,
    // A pair has twelve characters, any other escape has two here.
    (sequence) => (sequence.length === 6 ? "\\ufffd" : sequence),
  );
}

/** How many key-value pairs valid JSON spells out. Strings are jumped over, so their length hardly matters. */
function countMembers(text: string): number {
  let members = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i);
        break;
      case 0x3a: // :
        members++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        if (depth > maxJsonDepth) throw new DecodeError(jsonSyntaxError(text));
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return members;
}

function sizeOf(root: JsonValue): number {
  let members = 0;
  const left: (JsonValue | undefined)[] = [root];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (Array.isArray(value)) {
      for (const item of value) left.push(item);
    } else if (isJsonObject(value)) {
      for (const key in value) {
        members++;
        left.push(value[key]);
      }
    }
  }
  return members;
}
