// By which runs differ. DRIFTLESS_TEST_SEED=n repeats one, DRIFTLESS_TEST_LONG=1 makes many.

import { systemRandom } from "../../../base/random.ts";

export function seeds(): readonly number[] {
  const given = process.env["DRIFTLESS_TEST_SEED"];
  if (given !== undefined) return [Number(given)];
  const length = process.env["DRIFTLESS_TEST_LONG"] === "1" ? 300 : 8;
  return Array.from({ length }, () => systemRandom.uint32());
}
