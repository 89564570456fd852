// Holds a content against checks: for each check every key that its patterns name is read, and what was read is held against its schema.
// Runs in the thread, because a pattern of a schema may take for ever.

import type { CheckPlace, ContentCheck, Refusal } from "./check-protocol.ts";
import { FormatError } from "./format-error.ts";
import { matchesKey } from "./key-pattern.ts";
import { formatOf, parseContent, textOf } from "./parse-content.ts";
import { compileSchema, UnusableSchemaError } from "./schema-check.ts";

type Judge = (value: unknown) => string | undefined;

/** Compiling takes longer than everything else. By text: what comes to a thread is a copy each time. */
const MAX_JUDGES = 32;
const judges = new Map<string, Judge>();

/** The first reason against the content, if there is one. `at` hears where it is. */
export function runChecks(
  checks: readonly ContentCheck[],
  content: ReadonlyMap<string, Uint8Array>,
  at: (place: CheckPlace) => void,
): Refusal | undefined {
  for (const check of checks) {
    const { policy, name } = check;
    const keys = [...content].filter(([key]) => matchesKey(check.keys, key));
    for (const [key, bytes] of keys) {
      const place: CheckPlace = { policy, check: name, key };
      at(place);
      const refusal = refusalOf(check, key, bytes);
      if (refusal !== undefined) return { ...place, ...refusal };
    }
  }
  return undefined;
}

function refusalOf(
  check: ContentCheck,
  key: string,
  bytes: Uint8Array,
): Pick<Refusal, "kind" | "detail"> | undefined {
  try {
    const judge = check.schema === undefined ? undefined : judgeOf(check.schema);
    for (const value of valuesOf(check, key, bytes)) {
      const detail = judge?.(value);
      if (detail !== undefined) return { kind: "Schema", detail };
    }
    return undefined;
  } catch (err) {
    if (err instanceof FormatError) return { kind: "Format", detail: err.message };
    if (err instanceof UnusableSchemaError) return { kind: "Unusable", detail: err.message };
    throw err;
  }
}

function judgeOf(schema: unknown): Judge {
  const text = JSON.stringify(schema);
  const judge = judges.get(text) ?? compileSchema(schema);
  judges.delete(text);
  judges.set(text, judge);
  const [oldest] = judges.keys();
  if (judges.size > MAX_JUDGES && oldest !== undefined) judges.delete(oldest);
  return judge;
}

function valuesOf({ format }: ContentCheck, key: string, bytes: Uint8Array): readonly unknown[] {
  const text = textOf(bytes);
  const given = format ?? formatOf(key);
  return given === undefined ? [text] : parseContent(text, given);
}
