// What a script may write for something else: ${name} for a value that an earlier answer gave, and ${x*1000} for a text
// that is too long to be written down.

import type { JsonValue } from "../../src/api/json.ts";

export type Variables = Map<string, JsonValue>;

const single = /^\$\{(\w+)\}$/;
const repeated = /\$\{([^$]+?)\*(\d+)\}/g;
const named = /\$\{(\w+)\}/g;

export function substitute(text: string, variables: Variables): string {
  return text
    .replaceAll(repeated, (_, part: string, times: string) => part.repeat(Number(times)))
    .replaceAll(named, (_, name: string) => textOf(givenValue(name, variables)));
}

/** The value itself if the text is nothing but its name. */
export function variableIn(text: string, variables: Variables): JsonValue | undefined {
  const name = single.exec(text)?.[1];
  return name === undefined ? undefined : givenValue(name, variables);
}

function givenValue(name: string, variables: Variables): JsonValue {
  const value = variables.get(name);
  if (value === undefined) throw new Error(`nothing has given \${${name}} a value yet`);
  return value;
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
