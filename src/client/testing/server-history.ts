// Histories of an API server for property tests: what is written, which replica sees it when, and everything that goes wrong.

import fc from "fast-check";
import { StatusError } from "../../api/status-error.ts";
import type { FakeApiServer } from "./fake-api-server.ts";

/** Of the server; each request goes to any of them. */
export const REPLICAS = 3;

const name = fc.constantFrom("a", "b", "c");
const replica = fc.nat(REPLICAS - 1);
const refusals = [
  new StatusError({ code: 500, reason: "InternalError", message: "fault" }),
  new StatusError({
    code: 429,
    reason: "TooManyRequests",
    message: "busy",
    details: { retryAfterSeconds: 1 },
  }),
  new StatusError({ code: 410, reason: "Expired", message: "gone" }),
  new StatusError({ code: 401, reason: "Unauthorized", message: "Unauthorized" }),
  new StatusError({ code: 504, reason: "Timeout", message: "Too large resource version: 1" }),
  new StatusError({ code: 404, reason: "NotFound", message: "not found" }),
];
export type Step =
  | { readonly do: "put" | "remove"; readonly name: string }
  | { readonly do: "catchUp"; readonly replica: number; readonly lag: number }
  | { readonly do: "cut" | "end" | "compact" | "bookmark" | "goAway" | "comeBack" }
  | { readonly do: "refuse"; readonly refusal: number }
  | { readonly do: "repeat"; readonly name: string }
  | { readonly do: "pass"; readonly ms: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("catchUp" as const), replica, lag: fc.nat(3) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("cut", "end", "compact", "bookmark", "goAway", "comeBack"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("refuse" as const), refusal: fc.nat(5) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("repeat" as const), name }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(0, 300, 5000) }),
  },
);

/** Twenty times as many with `npm run test:long`; the seed of a failure is printed with it. */
export function runOptions(): { readonly numRuns: number; readonly seed?: number } {
  const numRuns = process.env["DRIFTLESS_TEST_LONG"] === "1" ? 4000 : 200;
  const given = Number(process.env["DRIFTLESS_TEST_SEED"] ?? "");
  return { numRuns, ...(given > 0 && { seed: given }) };
}

export const history: fc.Arbitrary<Step[]> = fc.array(step, { maxLength: 80, size: "max" });

/** Lets it happen. The time that it takes is the caller's. */
export function take(server: FakeApiServer, taken: Step): void {
  switch (taken.do) {
    case "put":
    case "remove":
    case "repeat":
      server[taken.do](taken.name);
      break;
    case "catchUp":
      server.catchUp(taken.replica, server.revision - taken.lag);
      break;
    case "refuse":
      server.refusals.push(refusals[taken.refusal]);
      break;
    case "pass":
      break;
    default:
      server[taken.do]();
  }
}
