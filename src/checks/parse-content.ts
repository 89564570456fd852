// Reads the value of a key as what a check says that it is. Each reader throws FormatErrors of our own: the messages of the libraries
// quote what they have read.

import { createRequire } from "node:module";
import { DecodeError } from "../api/decode-error.ts";
import { parseJsonText } from "../api/json-text.ts";
import { jsonSyntaxErrorAt } from "../api/json-text-syntax.ts";
import { yaml } from "../base/yaml-module.ts";
import { FormatError, placeIn } from "./format-error.ts";
import { parseIni } from "./parse-ini.ts";
import { parseProperties } from "./parse-properties.ts";

export type Format = "INI" | "JSON" | "Properties" | "TOML" | "YAML";

/** TOML is rare: it is loaded when some is met. */
const load = createRequire(import.meta.url);

/** More aliases than anybody writes; a bomb is made of them. */
const MAX_ALIASES = 1000;

const byEnding: readonly (readonly [ending: RegExp, format: Format])[] = [
  [/\.json$/, "JSON"],
  [/\.ya?ml$/, "YAML"],
  [/\.toml$/, "TOML"],
  [/\.(ini|cfg)$/, "INI"],
  [/\.properties$/, "Properties"],
];

/** What the name of a key says of its value; undefined: text. */
export function formatOf(key: string): Format | undefined {
  return byEnding.find(([ending]) => ending.test(key))?.[1];
}

/** Throws FormatError. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new FormatError("it is not text in UTF-8");
  }
}

/** What is in the text: one value, or of YAML one for each document. Throws FormatError. */
export function parseContent(text: string, format: Format): readonly unknown[] {
  switch (format) {
    case "JSON":
      return [parsedJson(text)];
    case "YAML":
      return parsedYaml(text);
    case "TOML":
      return [parsedToml(text)];
    case "INI":
      return [parseIni(text)];
    case "Properties":
      return [parseProperties(text)];
  }
}

function parsedJson(text: string): unknown {
  let parsed: ReturnType<typeof parseJsonText>;
  try {
    parsed = parseJsonText(text);
  } catch (err) {
    if (!(err instanceof DecodeError)) throw err;
    throw new FormatError("a mistake in the syntax", placeIn(text, jsonSyntaxErrorAt(text)));
  }
  if (parsed.duplicates.length > 0) throw new FormatError("a member is given twice");
  return parsed.value;
}

function parsedYaml(text: string): readonly unknown[] {
  const documents = yaml().parseAllDocuments(text, { prettyErrors: false, logLevel: "silent" });
  if ("empty" in documents) return [null];
  return documents.map((document) => {
    const [mistake] = document.errors;
    if (mistake !== undefined) {
      throw new FormatError(
        `a mistake in the syntax (${mistake.code})`,
        placeIn(text, mistake.pos[0]),
      );
    }
    try {
      return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
    } catch {
      throw new FormatError("an alias that leads nowhere, or too many of them");
    }
  });
}

function parsedToml(text: string): unknown {
  const { parse, TomlError } = load("smol-toml") as typeof import("smol-toml");
  try {
    return parse(text);
  } catch (err) {
    if (!(err instanceof TomlError)) throw err;
    throw new FormatError("a mistake in the syntax", { line: err.line, column: err.column });
  }
}
