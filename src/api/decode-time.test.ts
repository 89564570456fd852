import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DecodeError } from "./decode-error.ts";
import { canonicalTime, type TimePrecision } from "./decode-time.ts";

function refusal(text: string, precision: TimePrecision = "time"): string {
  try {
    canonicalTime(text, precision);
  } catch (err) {
    assert(err instanceof DecodeError, String(err));
    return err.message;
  }
  return "";
}

describe("canonicalTime", () => {
  it("writes any moment in UTC, whatever the zone it was given in", () => {
    const times = fc.date({
      min: new Date("0002-01-01T00:00:00Z"),
      max: new Date("9998-12-31T00:00:00Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(times, fc.integer({ min: -23 * 60, max: 23 * 60 }), (date, offset) => {
        const utc = `${date.toISOString().slice(0, 19)}Z`;
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 19);
        const clock = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const zone =
          (offset < 0 ? "-" : "+") + clock.map((n) => String(n).padStart(2, "0")).join(":");
        assert.equal(canonicalTime(utc, "time"), utc);
        assert.equal(canonicalTime(local + zone, "time"), utc);
      }),
    );
  });

  it("drops fractions of a Time and keeps six digits of a MicroTime", () => {
    assert.equal(canonicalTime("2026-01-02T03:04:05.999999999Z", "time"), "2026-01-02T03:04:05Z");
    assert.equal(canonicalTime("2026-01-02T03:04:05,5Z", "time"), "2026-01-02T03:04:05Z");
    assert.equal(
      canonicalTime("2026-01-02T03:04:05.123456+01:00", "microTime"),
      "2026-01-02T02:04:05.123456Z",
    );
  });

  it("takes the zero time for none", () => {
    assert.equal(canonicalTime("0001-01-01T00:00:00Z", "time"), null);
    assert.equal(canonicalTime("0001-01-01T00:00:00.000000Z", "microTime"), null);
    assert.equal(canonicalTime("0001-01-01T00:00:01Z", "time"), "0001-01-01T00:00:01Z");
  });

  it("knows leap years", () => {
    assert.equal(canonicalTime("2024-02-29T00:00:00Z", "time"), "2024-02-29T00:00:00Z");
    assert.equal(canonicalTime("2023-03-01T00:00:00+05:00", "time"), "2023-02-28T19:00:00Z");
    assert.equal(
      refusal("2023-02-29T00:00:00Z"),
      'parsing time "2023-02-29T00:00:00Z": day out of range',
    );
    assert.equal(
      refusal("1900-02-29T00:00:00Z"),
      'parsing time "1900-02-29T00:00:00Z": day out of range',
    );
  });

  it("says what it cannot parse as which part", () => {
    const asTime = 'as "2006-01-02T15:04:05Z07:00": cannot parse';
    const asMicro = 'as "2006-01-02T15:04:05.000000Z07:00": cannot parse';
    assert.equal(refusal(""), `parsing time "" ${asTime} "" as "2006"`);
    assert.equal(refusal("2026"), `parsing time "2026" ${asTime} "" as "-"`);
    assert.equal(refusal("2026-1-2"), `parsing time "2026-1-2" ${asTime} "1-2" as "01"`);
    assert.equal(refusal("2026-01-02"), `parsing time "2026-01-02" ${asTime} "" as "T"`);
    assert.equal(
      refusal("2026-01-02 03:04:05Z"),
      `parsing time "2026-01-02 03:04:05Z" ${asTime} " 03:04:05Z" as "T"`,
    );
    assert.equal(
      refusal("2026-01-02T03:04:05"),
      `parsing time "2026-01-02T03:04:05" ${asTime} "" as "Z07:00"`,
    );
    assert.equal(
      refusal("2026-01-02T03:04:05.123Z", "microTime"),
      `parsing time "2026-01-02T03:04:05.123Z" ${asMicro} ".123Z" as ".000000"`,
    );
    assert.equal(
      refusal("2026-13-02T03:04:05Z"),
      'parsing time "2026-13-02T03:04:05Z": month out of range',
    );
    assert.equal(
      refusal("2026-01-02T24:04:05Z"),
      'parsing time "2026-01-02T24:04:05Z": hour out of range',
    );
    assert.equal(
      refusal("2026-01-02T03:04:05Zx"),
      'parsing time "2026-01-02T03:04:05Zx": extra text: "x"',
    );
  });
});
