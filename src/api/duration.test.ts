import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ageOf, humanDuration } from "./duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("a duration", () => {
  for (const [ms, text] of [
    [0, "0s"],
    [999, "0s"],
    [70 * second, "70s"],
    [119 * second, "119s"],
    [2 * minute, "2m"],
    [3 * minute + 20 * second, "3m20s"],
    [10 * minute - second, "9m59s"],
    [10 * minute + 30 * second, "10m"],
    [179 * minute, "179m"],
    [3 * hour, "3h"],
    [7 * hour + 59 * minute, "7h59m"],
    [8 * hour + 30 * minute, "8h"],
    [47 * hour, "47h"],
    [2 * day, "2d"],
    [7 * day + 23 * hour, "7d23h"],
    [8 * day + 5 * hour, "8d"],
    [318 * day, "318d"],
    [729 * day, "729d"],
    [730 * day, "2y"],
    [740 * day, "2y10d"],
    [8 * 365 * day - day, "7y364d"],
    [8 * 365 * day, "8y"],
    [50 * 365 * day, "50y"],
    [-1999, "0s"],
    [-2000, "<invalid>"],
    [Number.NaN, "<invalid>"],
  ] as const) {
    test(`of ${ms} ms is ${text}`, () => {
      assert.equal(humanDuration(ms), text);
    });
  }
});

test("an age is counted from the timestamp, and unknown without one", () => {
  const now = Date.parse("2026-01-02T03:04:05Z");
  assert.equal(ageOf("2026-01-02T03:04:00Z", now), "5s");
  assert.equal(ageOf("2026-01-02T03:04:00.500000Z", now), "4s");
  for (const absent of [undefined, null, "", "yesterday"]) {
    assert.equal(ageOf(absent, now), "<unknown>");
  }
});
