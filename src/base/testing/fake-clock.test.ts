import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "./fake-clock.ts";

describe("FakeClock", () => {
  it("stands still until it is stepped", async () => {
    const clock = new FakeClock();
    const startMs = clock.now();

    await clock.step(1500);

    assert.equal(clock.now() - startMs, 1500);
    assert.equal(clock.monotonicMs(), 1500);
  });

  it("fires timers in the order of their time, and at that time", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name} at ${clock.monotonicMs()}`);
    clock.schedule(30, note("c"));
    clock.schedule(10, note("a"));
    clock.schedule(10, note("b"));
    clock.schedule(31, note("later"));

    await clock.step(30);

    assert.deepEqual(fired, ["a at 10", "b at 10", "c at 30"]);
    assert.equal(clock.waiting, 1);
  });

  it("lets a loop of sleeps run through in one step", async () => {
    const clock = new FakeClock();
    const ticks: number[] = [];
    const loop = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(1000);
        await Promise.resolve();
        ticks.push(clock.monotonicMs());
      }
    };

    const running = loop();
    await clock.step(3000);
    await running;

    assert.deepEqual(ticks, [1000, 2000, 3000]);
  });

  it("shows how many are waiting and forgets those that were cancelled", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const sleeping = clock.sleep(10, controller.signal);
    const handle = clock.schedule(10, () => assert.fail("was disposed"));
    assert.equal(clock.waiting, 2);

    handle[Symbol.dispose]();
    controller.abort(new Error("told to stop"));

    await assert.rejects(sleeping, /told to stop/);
    assert.equal(clock.waiting, 0);
    await clock.step(10);
  });

  it("rejects a sleep whose signal has aborted before", async () => {
    await assert.rejects(new FakeClock().sleep(1, AbortSignal.abort()), { name: "AbortError" });
  });

  it("gives up on a loop that never lets the time pass", async () => {
    const clock = new FakeClock();
    const spin = (): void => {
      clock.schedule(0, spin);
    };
    spin();

    await assert.rejects(clock.step(1), /timers fired and more are due/);
  });
});
