// Keys and values as dotenv, properties or INI. An input whose name ends as files of that format do is read; any other is one key, its name, with its text as value.

import { dotenvLine, parsedDotenv } from "./dotenv.ts";
import { iniText, parsedIni } from "./ini.ts";
import { type Input, MakeError, textOf } from "./make-error.ts";
import { parsedProperties, propertiesLine } from "./properties.ts";

export type PairsFormat = "dotenv" | "properties" | "ini";

const ENDINGS: Readonly<Record<PairsFormat, RegExp>> = {
  dotenv: /(?:^|[./])env$/,
  properties: /\.properties$/,
  ini: /\.(?:ini|cfg|conf)$/,
};

/** Later keys win, at the place of the first. */
export function pairs(inputs: readonly Input[], format: PairsFormat): Uint8Array {
  const all = new Map<string, string>();
  for (const input of inputs) {
    for (const [key, value] of pairsOf(input, format)) all.set(key, value);
  }
  return Buffer.from(written(all, format));
}

function pairsOf(input: Input, format: PairsFormat): Iterable<readonly [string, string]> {
  const text = textOf(input);
  if (!ENDINGS[format].test(input.name)) return [[keyOf(input.name, format), withoutLineEnd(text)]];
  switch (format) {
    case "dotenv":
      return parsedDotenv(text, input.address);
    case "properties":
      return parsedProperties(text);
    case "ini":
      return parsedIni(text, input.address);
  }
}

/** Of INI "section/key", also from "section.key": keys of ConfigMaps have no slash. */
function keyOf(name: string, format: PairsFormat): string {
  if (format !== "ini") return name.slice(name.lastIndexOf("/") + 1);
  return name.includes("/") ? name : name.replace(".", "/");
}

/** One, as editors and "|" of YAML leave it behind. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function written(all: ReadonlyMap<string, string>, format: PairsFormat): string {
  for (const [key, value] of all) {
    if (value.includes("\0")) throw new MakeError(`the value of "${key}" has a NUL byte`);
  }
  switch (format) {
    case "dotenv":
      return [...all].map(([key, value]) => dotenvLine(key, value)).join("");
    case "properties":
      return [...all].map(([key, value]) => propertiesLine(key, value)).join("");
    case "ini":
      return iniText(all);
  }
}
