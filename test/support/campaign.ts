// How much a seeded campaign does, and from which seed.

/** `npm run test:long`: the same tests with larger numbers. */
export const LONG: boolean = process.env["DRIFTLESS_TEST_LONG"] === "1";

/** From `--seed`, or a new one. Whoever uses it prints it. */
export function testSeed(): number {
  const given = process.env["DRIFTLESS_TEST_SEED"];
  return given === undefined || given === "" ? Date.now() % 1_000_000_000 : Number(given);
}
