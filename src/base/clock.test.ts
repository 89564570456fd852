import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { systemClock } from "./clock.ts";

describe("systemClock", () => {
  it("rejects a sleep with the reason of the signal that ended it", async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(1e8, controller.signal);

    controller.abort(new Error("told to stop"));

    await assert.rejects(sleeping, /told to stop/);
  });

  it("rejects a sleep whose signal has aborted before", async () => {
    const sleeping = systemClock.sleep(1e8, AbortSignal.abort(new Error("too late")));

    await assert.rejects(sleeping, /too late/);
  });

  it("leaves no listener on the signal of a sleep that ran its time", async () => {
    const { signal } = new AbortController();

    await systemClock.sleep(1, signal);

    assert.deepEqual(getEventListeners(signal, "abort"), []);
  });

  it("does not call back when the handle is disposed before", async () => {
    let calls = 0;
    const handle = systemClock.schedule(0, () => calls++);

    handle[Symbol.dispose]();
    await systemClock.sleep(2);

    assert.equal(calls, 0);
  });

  it("does not take a wait of more than 24 days for one of a millisecond", async () => {
    let calls = 0;
    using _handle = systemClock.schedule(2 ** 31 + 1000, () => calls++);

    await systemClock.sleep(5);

    assert.equal(calls, 0);
  });

  it("never lets the monotonic time go back", () => {
    const before = systemClock.monotonicMs();

    assert.ok(systemClock.monotonicMs() >= before);
    assert.ok(systemClock.now() > Date.UTC(2020, 0));
  });
});
