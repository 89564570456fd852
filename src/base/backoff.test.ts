import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Backoff, type BackoffOptions } from "./backoff.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import { seededRandom } from "./testing/seeded-random.ts";

function backoff(options: Partial<BackoffOptions> = {}): Backoff {
  return new Backoff({
    baseMs: 100,
    factor: 2,
    maxMs: 1000,
    jitter: 0,
    resetAfterMs: 60_000,
    clock: new FakeClock(),
    random: seededRandom(1),
    ...options,
  });
}

describe("Backoff", () => {
  it("grows by its factor up to its cap", () => {
    const delays = backoff();

    const first = Array.from({ length: 6 }, () => delays.nextMs());

    assert.deepEqual(first, [100, 200, 400, 800, 1000, 1000]);
  });

  it("stays at its cap after ten thousand failures", () => {
    const delays = backoff();

    for (let i = 0; i < 10_000; i++) {
      delays.nextMs();
    }

    assert.equal(delays.nextMs(), 1000);
  });

  it("spreads each delay below its full length and never above the cap", () => {
    const delays = backoff({ jitter: 0.5, baseMs: 1000 });

    const spread = Array.from({ length: 200 }, () => delays.nextMs());

    assert.ok(spread.every((ms) => ms > 500 && ms <= 1000));
    assert.ok(Math.max(...spread) - Math.min(...spread) > 300);
  });

  it("starts over when reset", () => {
    const delays = backoff();
    delays.nextMs();
    delays.nextMs();

    delays.reset();

    assert.equal(delays.nextMs(), 100);
  });

  it("starts over after the healthy time, counted from the end of the last delay", async () => {
    const clock = new FakeClock();
    const delays = backoff({ clock, baseMs: 1000, maxMs: 8000, resetAfterMs: 5000 });
    delays.nextMs();
    delays.nextMs();

    await clock.step(2000 + 4999);
    const justBefore = delays.nextMs();
    await clock.step(4000 + 5000);
    const after = delays.nextMs();

    assert.equal(justBefore, 4000);
    assert.equal(after, 1000);
  });

  it("waits its delay on the clock", async () => {
    const clock = new FakeClock();
    let done = false;
    const waiting = backoff({ clock })
      .wait(new AbortController().signal)
      .then(() => {
        done = true;
      });

    await clock.step(99);
    assert.equal(done, false);
    await clock.step(1);

    assert.equal(done, true);
    await waiting;
  });

  it("stops waiting when told to", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const waiting = backoff({ clock }).wait(controller.signal);

    controller.abort();

    await assert.rejects(waiting, { name: "AbortError" });
    assert.equal(clock.waiting, 0);
  });
});
