// The part of kubectl's JSONPath that people use by hand: text, {.a.b}, {.a['b.c']}, {.items[0].x}, {.items[*].x}, {..x} not,
// slices not, filters [?(@.a=="b")] with == and !=, {"\n"}, and {range .items[*]}…{end}.

import { isJsonObject, type JsonValue } from "../api/json.ts";
import { misuse } from "./cli-error.ts";
import { compactJson, sortedKeys } from "./json-printer.ts";

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "each" }
  | {
      readonly type: "where";
      readonly path: readonly Step[];
      readonly isEqual: boolean;
      readonly value: JsonValue;
    };

type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "path"; readonly path: readonly Step[] }
  | { readonly type: "range"; readonly path: readonly Step[]; readonly body: readonly Piece[] };

export interface JsonPathTemplate {
  /** Fields that are missing print nothing. */
  print(value: JsonValue): string;
}

/** Throws CliError if it is not understood. */
export function parseJsonPathTemplate(text: string): JsonPathTemplate {
  const tokens = [...tokensOf(text)];
  const { pieces, rest } = piecesOf(tokens, text);
  if (rest.length > 0) throw notUnderstood(text, "{end} without {range}");
  return { print: (value) => printed(pieces, value) };
}

/** One path, with or without braces and the dot in front, as --sort-by takes it. */
export function parseJsonPath(text: string): (value: JsonValue) => readonly JsonValue[] {
  const bare = /^\{(.*)\}$/s.exec(text)?.[1] ?? text;
  const dotted = /^[.[$@]/.test(bare) ? bare : `.${bare}`;
  const path = parsePath(dotted, text);
  return (value) => walked(path, value);
}

/** What is in braces with a "{" in front, and the text in between. */
function* tokensOf(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    const end = open < 0 ? text.length : open;
    if (end > at) yield text.slice(at, end);
    if (open < 0) return;
    const close = closing(text, open);
    yield text.slice(open, close);
    at = close + 1;
  }
}

/** A brace in quotes does not count. */
function closing(text: string, open: number): number {
  let quote = "";
  for (let at = open + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "}") return at;
  }
  throw notUnderstood(text, "an opening brace is not closed");
}

interface Parsed {
  readonly pieces: readonly Piece[];
  /** Begins with the {end} that stopped it. */
  readonly rest: readonly string[];
}

function piecesOf(tokens: readonly string[], whole: string): Parsed {
  const pieces: Piece[] = [];
  let rest = tokens;
  for (;;) {
    const [token, ...others] = rest;
    if (token === undefined || token.slice(1).trim() === "end") return { pieces, rest };
    const range = /^\{\s*range\s+(.*)$/s.exec(token);
    if (range === null) {
      pieces.push(pieceOf(token, whole));
      rest = others;
      continue;
    }
    const body = piecesOf(others, whole);
    if (body.rest.length === 0) throw notUnderstood(whole, "{range} without {end}");
    pieces.push({ type: "range", path: parsePath(range[1] ?? "", whole), body: body.pieces });
    rest = body.rest.slice(1);
  }
}

function pieceOf(token: string, whole: string): Piece {
  if (!token.startsWith("{")) return { type: "text", text: token };
  const inside = token.slice(1).trim();
  if (/^["']/.test(inside)) return { type: "text", text: unquoted(inside, whole) };
  return { type: "path", path: parsePath(inside, whole) };
}

const STEP =
  /\.(?:([\w-](?:[\w-]|\\.)*)|(\*))|\[(?:(-?\d+)|(\*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\?\((.*?)\))\]/gy;

function parsePath(text: string, whole: string): readonly Step[] {
  const path = text.trim().replace(/^[$@]/, "");
  if (path === "" || path === ".") return [];
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  let end = 0;
  for (let match = STEP.exec(path); match !== null; match = STEP.exec(path)) {
    end = STEP.lastIndex;
    steps.push(stepOf(match, whole));
    // A filter parses a path of its own.
    STEP.lastIndex = end;
  }
  if (end !== path.length)
    throw notUnderstood(whole, `cannot read ${JSON.stringify(path.slice(end))}`);
  return steps;
}

function stepOf(match: RegExpExecArray, whole: string): Step {
  const [, name, anyField, index, anyIndex, single, double, filter] = match;
  if (anyField !== undefined || anyIndex !== undefined) return { type: "each" };
  if (index !== undefined) return { type: "index", index: Number(index) };
  if (filter !== undefined) return filterOf(filter, whole);
  const field = name ?? single ?? double ?? "";
  return { type: "field", name: field.replaceAll(/\\(.)/g, "$1") };
}

function filterOf(text: string, whole: string): Step {
  const parts = /^\s*(@\S*?)\s*(==|!=)\s*(.+?)\s*$/.exec(text);
  if (parts === null) throw notUnderstood(whole, `filters compare with == or !=: ${text}`);
  const [, path = "", operator, value = ""] = parts;
  const isText = /^["']/.test(value);
  return {
    type: "where",
    path: parsePath(path, whole),
    isEqual: operator === "==",
    value: isText ? unquoted(value, whole) : literal(value, whole),
  };
}

function literal(text: string, whole: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw notUnderstood(whole, `${text} is neither a number nor a quoted text`);
  }
}

function unquoted(text: string, whole: string): string {
  const inside = /^(["'])(.*)\1$/s.exec(text)?.[2];
  if (inside === undefined) throw notUnderstood(whole, `a quote is not closed: ${text}`);
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
  return inside.replaceAll(/\\(.)/gs, (_, char: string) => escapes[char] ?? char);
}

function printed(pieces: readonly Piece[], value: JsonValue): string {
  return pieces
    .map((piece) => {
      switch (piece.type) {
        case "text":
          return piece.text;
        case "path":
          return walked(piece.path, value).map(textOf).join(" ");
        case "range":
          return walked(piece.path, value)
            .map((each) => printed(piece.body, each))
            .join("");
        default:
          return piece satisfies never;
      }
    })
    .join("");
}

function walked(path: readonly Step[], value: JsonValue): readonly JsonValue[] {
  return path.reduce<readonly JsonValue[]>(
    (values, step) => values.flatMap((each) => taken(step, each)),
    [value],
  );
}

function taken(step: Step, value: JsonValue): readonly JsonValue[] {
  switch (step.type) {
    case "field": {
      const field =
        isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
      return field === undefined ? [] : [field];
    }
    case "index": {
      const item = Array.isArray(value) ? value.at(step.index) : undefined;
      return item === undefined ? [] : [item];
    }
    case "each":
      return contentOf(value);
    case "where":
      return contentOf(value).filter((each) => {
        const isFound = walked(step.path, each).some((one) => one === step.value);
        return isFound === step.isEqual;
      });
    default:
      return step satisfies never;
  }
}

function contentOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return [];
  return sortedKeys(value).map((key) => value[key] ?? null);
}

function textOf(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "object" ? compactJson(value) : String(value);
}

function notUnderstood(text: string, why: string): Error {
  return misuse(`error parsing jsonpath ${text}, ${why}`);
}
