// Holds an answer against the facts that a script states of it. An error is compared whole, a stream event by event; of any
// other answer only what is stated is compared.

import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import type { JsonObject, JsonValue } from "../../src/api/json.ts";
import { compareFact } from "./compare-fact.ts";
import { compareFailure, isFailure, isOfFailure } from "./compare-failure.ts";
import { valueAt } from "./field-path.ts";
import type { Fact, Step } from "./script.ts";
import type { Variables } from "./script-variables.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Everything that is not as expected, with its line; captures go to the variables. */
export function compareAnswer(
  expected: Pick<Step, "status" | "reason" | "facts">,
  answer: Answer,
  variables: Variables,
): readonly string[] {
  const { status, facts } = expected;
  const isRight = status === undefined ? isSuccess(answer) : answer.status === status;
  if (!isRight) {
    return [`expected ${status ?? "a success"}\n    got ${answer.status} ${answer.text}`];
  }
  const body = bodyOf(answer);
  const faults: string[] = [];
  if (isFailure(body)) faults.push(...compareFailure(expected, body, variables));
  else if (expected.reason !== undefined) faults.push(`expected a Status\n    got ${answer.text}`);
  const events = facts.filter(isOfEvent);
  if (events.length > 0 || answer.text.startsWith('{"type":')) {
    faults.push(...compareEvents(events, answer.text, variables));
  }
  for (const fact of facts) {
    if (isOfEvent(fact) || (isFailure(body) && isOfFailure(fact))) continue;
    faults.push(...compareFact(fact, (path) => lookUp(path, body, answer), variables));
  }
  return faults;
}

/** The events that have come whole. */
export function eventsOf(text: string): readonly JsonObject[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function isOfEvent({ text }: Fact): boolean {
  return text.startsWith("event: ");
}

function compareEvents(
  expected: readonly Fact[],
  text: string,
  variables: Variables,
): readonly string[] {
  const events = eventsOf(text);
  const types = expected.map((fact) => fact.text.slice("event: ".length));
  const got = events.map((event) => event["type"]);
  if (!isDeepStrictEqual(types, got)) {
    return [
      `expected the events ${JSON.stringify(types)}\n    got ${JSON.stringify(got)}: ${text}`,
    ];
  }
  return expected.flatMap(({ below }, index) =>
    below.flatMap((fact) =>
      compareFact(fact, (path) => valueAt(events[index]?.["object"], path), variables),
    ),
  );
}

/** With a capital it is a header. */
function lookUp(path: string, body: JsonValue | undefined, answer: Answer): JsonValue | undefined {
  if (path === "text") return answer.text;
  if (!/^[A-Z]/.test(path)) return valueAt(body, path);
  const header = answer.headers[path.toLowerCase()];
  return typeof header === "object" ? header.join(", ") : header;
}

function bodyOf({ headers, text }: Answer): JsonValue | undefined {
  const isYaml = headers["content-type"] === "application/yaml";
  try {
    return isYaml ? (parse(text) as JsonValue) : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined; // Plain text, a stream of events or nothing: facts of fields then fail on their own.
  }
}
