// The objects in a text: YAML with any number of documents, JSON values one behind the other, and lists, which stand for their items.

import { DecodeError } from "../api/decode-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { parseYamlText } from "../api/yaml-text.ts";
import { CliError } from "./cli-error.ts";

export interface Manifest {
  readonly object: ApiObject;
  /** For messages: the file. */
  readonly source: string;
}

/** Throws CliError with the source and the line. Documents with nothing in them are passed over. */
export function manifestsOf(text: string, source: string): readonly Manifest[] {
  return splitDocuments(text).flatMap(({ text: document, line }) => {
    const value = parsed(document, source, line);
    return value === null ? [] : objectsOf(value, source).map((object) => ({ object, source }));
  });
}

interface Document {
  readonly text: string;
  /** Of its first line in the whole. */
  readonly line: number;
}

/** At lines that begin with "---", as kubectl does it before it looks at anything else; and between JSON values. */
function splitDocuments(text: string): readonly Document[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const starts = lines.flatMap((line, index) => (/^---(?:\s|$)/.test(line) ? [index] : []));
  const bounds = [0, ...starts.filter((start) => start > 0), lines.length];
  return bounds.slice(0, -1).flatMap((start, index) => {
    const part = lines.slice(start, bounds[index + 1]);
    const document = { text: part.join("\n"), line: start + 1 };
    return /^\s*\{/.test(document.text) ? jsonValues(document) : [document];
  });
}

/** "{…}{…}": by counting braces outside of strings. */
function jsonValues({ text, line }: Document): readonly Document[] {
  const values: Document[] = [];
  let [depth, start, lineOfStart] = [0, -1, line];
  const token = /"(?:[^"\\]|\\.)*"|[{}\n]/gs;
  let at = line;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === "{" && depth++ === 0) [start, lineOfStart] = [match.index, at];
    if (found === "}" && --depth === 0) {
      values.push({ text: text.slice(start, token.lastIndex), line: lineOfStart });
      start = -1;
    }
    at += found.split("\n").length - 1;
  }
  const end = values.length === 0 ? 0 : text.lastIndexOf("}") + 1;
  const isWhole = depth === 0 && text.slice(end).trim() === "";
  return isWhole && values.length > 1 ? values : [{ text, line }];
}

function parsed(text: string, source: string, line: number): JsonValue {
  try {
    const { value, duplicatesInYaml } = parseYamlText(text);
    if (duplicatesInYaml !== undefined) throw new DecodeError(duplicatesInYaml);
    return value;
  } catch (err) {
    if (!(err instanceof DecodeError)) throw err;
    // Lines are counted from the beginning of the document.
    const message = err.message.replaceAll(
      /\bline (\d+)/g,
      (_, within: string) => `line ${Number(within) + line - 1}`,
    );
    throw new CliError(`error parsing ${source}: ${message}`, { cause: err });
  }
}

function objectsOf(value: JsonValue, source: string): readonly ApiObject[] {
  if (!isJsonObject(value)) throw new CliError(`error parsing ${source}: an object is expected`);
  const { kind, apiVersion, items } = value;
  if (typeof kind !== "string" || kind === "") {
    throw new CliError(`error parsing ${source}: Object 'Kind' is missing`);
  }
  if (typeof apiVersion !== "string" || apiVersion === "") {
    throw new CliError(`error parsing ${source}: Object 'apiVersion' is missing`);
  }
  if (kind.endsWith("List") && Array.isArray(items)) {
    return items.flatMap((item) => objectsOf(withType(item, value), source));
  }
  return [{ ...value, metadata: metadataOf(value, source) }];
}

/** The items of a ConfigMapList need not say what they are. */
function withType(item: JsonValue, { kind, apiVersion }: JsonObject): JsonValue {
  if (!isJsonObject(item) || typeof kind !== "string" || kind === "List") return item;
  return { apiVersion, kind: kind.replace(/List$/, ""), ...item };
}

function metadataOf({ metadata }: JsonObject, source: string): ApiObject["metadata"] {
  if (metadata === undefined || metadata === null) return {};
  if (isJsonObject(metadata)) return metadata as ApiObject["metadata"];
  throw new CliError(`error parsing ${source}: metadata must be an object`);
}
