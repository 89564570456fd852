import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cronScheduleError } from "./cron-schedule.ts";

const good = [
  "* * * * *",
  "*/5 0-23/2 1,15 jan-DEC mon",
  "? 5/10 * * 0-6",
  "@hourly",
  "@every 1h30m",
  "CRON_TZ=Europe/Berlin 0 0 * * *",
];

const bad: readonly (readonly [schedule: string, error: string])[] = [
  ["", "empty spec string"],
  ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["*/-1 * * * *", "negative number (-1) not allowed: -1"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["@never", "unrecognized descriptor: @never"],
  ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ["@every 5d", 'failed to parse duration @every 5d: time: unknown unit "d" in duration "5d"'],
  ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
  ["TZ=Mars * * * * *", "provided bad location Mars: unknown time zone Mars"],
];

describe("cronScheduleError", () => {
  for (const schedule of good) {
    it(`finds nothing wrong with ${schedule}`, () => {
      assert.equal(cronScheduleError(schedule), undefined);
    });
  }

  for (const [schedule, error] of bad) {
    it(`says what is wrong with ${JSON.stringify(schedule)}`, () => {
      assert.equal(cronScheduleError(schedule), error);
    });
  }
});
