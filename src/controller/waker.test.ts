import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { Waker } from "./waker.ts";

const { signal: never } = new AbortController();

describe("Waker", () => {
  it("pauses for the time, and leaves no timer when it is woken or stopped earlier", async () => {
    const clock = new FakeClock();
    const waker = new Waker(clock);
    const stop = new AbortController();
    const ended: string[] = [];
    const whole = waker.pause(1000, never).then(() => ended.push("whole"));
    await clock.step(999);
    assert.deepEqual(ended, []);
    await clock.step(1);
    await whole;

    const woken = waker.pause(1000, never);
    waker.wake();
    await woken;
    const stopped = waker.pause(1000, stop.signal);
    stop.abort();
    await stopped;

    assert.equal(clock.waiting, 0);
  });

  it("does not pause if it was woken since the last pause, once", async () => {
    const clock = new FakeClock();
    const waker = new Waker(clock);
    waker.wake();
    waker.wake();

    await waker.pause(1000, never);
    void waker.pause(1000, never);

    assert.equal(clock.waiting, 1);
  });
});
