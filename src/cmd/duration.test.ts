import { equal, throws } from "node:assert/strict";
import { it } from "node:test";
import { parseDuration } from "./duration.ts";

it("parseDuration reads seconds, minutes, hours and days, and nothing else", () => {
  equal(parseDuration("--ttl", "90s"), 90_000);
  equal(parseDuration("--ttl", "30m"), 1_800_000);
  equal(parseDuration("--ttl", "8h"), 28_800_000);
  equal(parseDuration("--ttl", "30d"), 2_592_000_000);
  for (const text of ["", "0h", "-1h", "1", "1.5h", "1y", "h", "1h30m", "999999d"]) {
    throws(
      () => parseDuration("--ttl", text),
      /--ttl .*: must be a number and a unit, such as 90s/,
    );
  }
});
