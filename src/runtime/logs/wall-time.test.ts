import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { WallTime } from "./wall-time.ts";

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

test("stamps of the system's clock never go back within a run", () => {
  const time = new WallTime(systemClock);
  const stamps = Array.from({ length: 10_000 }, () => time.stamp());
  assert.deepEqual(stamps, stamps.toSorted());
  assert.match(stamps[0] ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
});

test("the stamp of a file name is the kubelet's", () => {
  const at = clockAt(Date.UTC(2026, 10, 16, 5, 58, 59, 999), 0);
  assert.equal(at.time.fileStamp(0), "20261116-055859");
  assert.equal(at.time.fileStamp(1), "20261116-055900");
});
