// An error against what a script says of it: whole, so that nothing can slip into a Status unseen.

import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/api/json.ts";
import { compareFact, show } from "./compare-fact.ts";
import { valueAt } from "./field-path.ts";
import type { Fact, Step } from "./script.ts";
import { substitute, type Variables } from "./script-variables.ts";

const cause = /^(\w+)(?: (.+?))??(?:: (.*))?$/;

export function isFailure(body: JsonValue | undefined): body is JsonObject {
  return isJsonObject(body) && body["kind"] === "Status" && body["status"] === "Failure";
}

/** Whether the fact is one that `compareFailure` looks at. */
export function isOfFailure({ text }: Fact): boolean {
  return /^(?:message|details|cause):/.test(text);
}

/** Message, details and causes must all be said; metadata only if there is any. */
export function compareFailure(
  expected: Pick<Step, "status" | "reason" | "facts">,
  body: JsonObject,
  variables: Variables,
): readonly string[] {
  const { message, details, ...frame } = body;
  const saysMetadata = expected.facts.some(({ text }) => text.startsWith("metadata."));
  const wanted = {
    kind: "Status",
    apiVersion: "v1",
    metadata: saysMetadata ? frame["metadata"] : {},
    status: "Failure",
    ...(expected.reason !== undefined && { reason: expected.reason }),
    code: expected.status,
  };
  const faults = isDeepStrictEqual(frame, wanted)
    ? []
    : [`expected a Status ${JSON.stringify(wanted)}\n    got ${JSON.stringify(frame)}`];
  for (const [name, value] of [
    ["message", message],
    ["details", withoutCauses(details)],
  ] as const) {
    const fact = expected.facts.find(({ text }) => text.startsWith(`${name}:`));
    if (fact) faults.push(...compareFact(fact, () => value, variables));
    else if (value !== undefined) faults.push(`nothing is said of the ${name} ${show(value)}`);
  }
  return [...faults, ...compareCauses(expected.facts, body, variables)];
}

function withoutCauses(details: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(details)) return details;
  const { causes: _, ...rest } = details;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** As a set: where causes come from a map their order means nothing. */
function compareCauses(
  facts: readonly Fact[],
  body: JsonObject,
  variables: Variables,
): readonly string[] {
  const all = valueAt(body, "details.causes") ?? [];
  const left = Array.isArray(all) ? all.filter(isJsonObject) : [];
  const faults: string[] = [];
  for (const { line, text } of facts) {
    if (!text.startsWith("cause: ")) continue;
    const said = substitute(text.slice("cause: ".length), variables);
    const index = left.findIndex((one) => isCause(one, said, body["message"]));
    if (index < 0) faults.push(`line ${line}: expected ${text}\n    among ${show(all)}`);
    else left.splice(index, 1);
  }
  return left.length > 0 ? [...faults, `nothing is said of the causes ${show(left)}`] : faults;
}

/** A cause's text may be left out if the whole message has it after the field. */
function isCause(one: JsonObject, said: string, whole: JsonValue | undefined): boolean {
  const [, reason, field, text] = cause.exec(said) ?? [];
  if (one["reason"] !== reason || one["field"] !== field) return false;
  const { message } = one;
  if (text !== undefined || typeof message !== "string") return message === text;
  return typeof whole === "string" && whole.includes(`${field}: ${message}`);
}
