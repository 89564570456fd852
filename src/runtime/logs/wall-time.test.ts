import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { nextFileStamp, WallTime } from "./wall-time.ts";

function clockAt(
  wallMs: number,
  monotonicMs: number,
): { wall: number; mono: number; time: WallTime } {
  const at = { wall: wallMs, mono: monotonicMs };
  const clock = { ...systemClock, now: () => at.wall, monotonicMs: () => at.mono };
  return Object.assign(at, { time: new WallTime(clock) });
}

test("a stamp has nine digits of the second, of which the last six are the monotonic clock's", () => {
  const at = clockAt(Date.UTC(2026, 10, 16, 5, 58, 56, 7), 1000);
  at.mono += 0.25;
  assert.equal(at.time.stamp(), "2026-11-16T05:58:56.007250000Z");
});

test("a stamp goes with the wall clock when that jumps", () => {
  const at = clockAt(Date.UTC(2026, 10, 16), 0);
  at.time.stamp();
  at.wall = Date.UTC(2026, 10, 15, 23);
  at.mono = 10;
  assert.equal(at.time.stamp(), "2026-11-15T23:00:00.000000000Z");
});

test("a stamp does not go back because somebody was interrupted between the two clocks", () => {
  const at = { wall: 1000, mono: 0, pauseMs: 0 };
  const clock = {
    ...systemClock,
    now: () => {
      const is = at.wall;
      // Before the other clock is read.
      at.mono += at.pauseMs;
      at.wall += at.pauseMs;
      at.pauseMs = 0;
      return is;
    },
    monotonicMs: () => at.mono,
  };
  const time = new WallTime(clock);
  const stamps = Array.from({ length: 20 }, (_, i) => {
    at.pauseMs = i % 3 === 0 ? 7 : 0;
    at.wall += 1;
    at.mono += 1;
    return time.stamp();
  });
  assert.deepEqual(stamps, stamps.toSorted());
});

test("stamps of the system's clock never go back within a run", () => {
  const time = new WallTime(systemClock);
  const stamps = Array.from({ length: 10_000 }, () => time.stamp());
  assert.deepEqual(stamps, stamps.toSorted());
  assert.match(stamps[0] ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
});

test("the stamp of a file name is the kubelet's", () => {
  const at = clockAt(Date.UTC(2026, 10, 16, 5, 58, 59, 999), 0);
  assert.equal(at.time.fileStamp(), "20261116-055859");
  assert.equal(nextFileStamp("20261116-055859"), "20261116-055900");
  assert.equal(nextFileStamp("20261231-235959"), "20270101-000000");
  assert.throws(() => nextFileStamp("99999999-999999"), RangeError);
});
