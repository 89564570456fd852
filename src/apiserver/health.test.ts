import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { type HealthCheck, healthAnswer } from "./health.ts";

const good: HealthCheck = { name: "ping", check: async () => undefined };
const bad: HealthCheck = {
  name: "store",
  check: async () => {
    throw new Error("the disk is full");
  },
};

async function told(
  checks: readonly HealthCheck[],
  query: { only?: string; isVerbose?: boolean; excluded?: readonly string[] } = {},
): Promise<string> {
  const answer = await healthAnswer(checks, {
    endpoint: "readyz",
    only: "",
    isVerbose: false,
    excluded: [],
    ...query,
  });
  return `${answer.code} ${Buffer.concat([...answer.body]).toString()}`;
}

describe("health", () => {
  it("is one word when all is well", async () => equal(await told([good]), "200 ok"));

  it("lists every check when asked", async () => {
    equal(await told([good], { isVerbose: true }), "200 [+]ping ok\nreadyz check passed\n");
  });

  it("says which check failed, and why", async () => {
    equal(
      await told([good, bad]),
      "500 [+]ping ok\n[-]store failed: the disk is full\nreadyz check failed\n",
    );
  });

  it("can be asked for one check, or without one", async () => {
    equal(await told([good, bad], { only: "ping" }), "200 ok");
    equal(await told([good, bad], { excluded: ["store"] }), "200 ok");
    equal(await told([good], { only: "nope" }), "404 404 page not found\n");
  });
});
