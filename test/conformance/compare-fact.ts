// One fact of a script against what an answer has at its path.

import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonValue } from "../../src/api/json.ts";
import type { Fact } from "./script.ts";
import { substitute, type Variables, variableIn } from "./script-variables.ts";

const capture = /^(\S+) -> (\w+)$/;
const absence = /^no (\S+)$/;
const field = /^(not )?((?:\["(?:[^"\\]|\\.)*"\]|\S)+?)( \(any order\))?:(?: (.*))?$/;

/** What is not as the fact says, with its line; a capture goes to the variables. */
export function compareFact(
  fact: Fact,
  lookUp: (path: string) => JsonValue | undefined,
  variables: Variables,
): readonly string[] {
  const expect = (holds: boolean, expected: string, path: string): readonly string[] =>
    holds ? [] : [`line ${fact.line}: expected ${expected}\n    got ${show(lookUp(path))}`];
  const [, captured, variable] = capture.exec(fact.text) ?? [];
  if (captured !== undefined && variable !== undefined) {
    const value = lookUp(captured);
    if (value !== undefined) variables.set(variable, value);
    return expect(value !== undefined, fact.text, captured);
  }
  const absent = absence.exec(fact.text)?.[1];
  if (absent !== undefined) return expect(lookUp(absent) === undefined, fact.text, absent);
  const [, not = "", path, anyOrder, first] = field.exec(fact.text) ?? [];
  if (path === undefined) return [`line ${fact.line}: says nothing that can be checked`];
  const value = [first, ...fact.below.map(joined)].filter(Boolean).join("\n");
  const actual = lookUp(path);
  const holds =
    anyOrder === undefined
      ? matches(actual, value, variables)
      : isSame(sorted(actual), sorted(JSON.parse(value) as JsonValue));
  return expect(holds === (not === ""), `${not}${path}: ${value}`, path);
}

/** For a message about it. */
export function show(value: JsonValue | undefined): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}

function joined(fact: Fact): string {
  return [fact.text, ...fact.below.map(joined)].join("\n");
}

/** A value is "*" for anything, /a pattern/, a variable, JSON or else the text itself. */
function matches(actual: JsonValue | undefined, value: string, variables: Variables): boolean {
  if (actual === undefined) return false;
  if (value === "*") return true;
  const variable = variableIn(value, variables);
  if (variable !== undefined) return isDeepStrictEqual(actual, variable);
  const text = substitute(value, variables);
  const [, pattern, flags] = /^\/(.+)\/(s?)$/s.exec(text) ?? [];
  if (pattern !== undefined) {
    return new RegExp(pattern, flags).test(typeof actual === "string" ? actual : show(actual));
  }
  try {
    return isSame(actual, JSON.parse(text) as JsonValue);
  } catch {
    return actual === text; // It was no JSON: then it is the text.
  }
}

/** "…" stands for any value within JSON. */
function isSame(actual: JsonValue | undefined, expected: JsonValue | undefined): boolean {
  if (expected === "…") return actual !== undefined;
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => isSame(actual[index], item))
    );
  }
  if (isJsonObject(expected)) {
    return (
      isJsonObject(actual) &&
      Object.keys(actual).length === Object.keys(expected).length &&
      Object.entries(expected).every(([key, value]) => isSame(actual[key], value))
    );
  }
  return actual === expected;
}

function sorted(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  return value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
