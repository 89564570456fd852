// How much the simulation does, and from which seed.

import { systemRandom } from "../../base/random.ts";

/** `npm run test:long`: the same tests with larger numbers. */
export const LONG: boolean = process.env["DRIFTLESS_TEST_LONG"] === "1";

/** From `DRIFTLESS_TEST_SEED`, or a new one. Whoever uses it prints it. */
export function testSeed(): number {
  const given = process.env["DRIFTLESS_TEST_SEED"] ?? "";
  return given === "" ? systemRandom.uint32() : Number(given);
}
