import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { ProgressDemand } from "./progress-demand.ts";
import { TouchPace } from "./touch-pace.ts";

interface Scene {
  readonly clock: FakeClock;
  readonly demand: ProgressDemand;
  readonly calls: string[];
}

function scene({ isTrusted }: { isTrusted: boolean }): Scene {
  const clock = new FakeClock();
  const calls: string[] = [];
  const demand = new ProgressDemand(10n, {
    clock,
    isTrusted,
    version: "3.4.23",
    pace: new TouchPace({ clock, logger: new CaptureLogger() }),
    ask: () => calls.push("ask"),
    touch: async () => void calls.push("touch"),
    onStall: () => calls.push("stall"),
  });
  return { clock, demand, calls };
}

describe("ProgressDemand", () => {
  it("does nothing when the watch has come as far as it is wanted", async () => {
    const { clock, demand, calls } = scene({ isTrusted: true });
    demand.want(10n);
    demand.want(9n);
    await clock.step(10_000);
    assert.deepEqual(calls, []);
    assert.equal(clock.waiting, 0);
  });

  it("asks a trusted member at once, and again while no answer comes", async () => {
    const { clock, demand, calls } = scene({ isTrusted: true });
    demand.want(11n);
    assert.deepEqual(calls, ["ask"]);
    demand.want(12n);
    assert.deepEqual(calls, ["ask"]);
    await clock.step(100);
    assert.deepEqual(calls, ["ask", "ask"]);
    demand.heard(12n);
    await clock.step(10_000);
    assert.deepEqual(calls, ["ask", "ask"]);
  });

  it("asks a member that lags again soon after its answer", async () => {
    const { clock, demand, calls } = scene({ isTrusted: true });
    demand.want(12n);
    demand.heard(11n);
    await clock.step(10);
    assert.deepEqual(calls, ["ask", "ask"]);
  });

  it("never asks a member that is not trusted, but has the key written", async () => {
    const { clock, demand, calls } = scene({ isTrusted: false });
    demand.heard(10n);
    demand.want(11n);
    assert.deepEqual(calls, []);
    await clock.step(15);
    assert.deepEqual(calls, ["touch"]);
    demand.heard(12n);
    await clock.step(10_000);
    assert.deepEqual(calls, ["touch"]);
  });

  it("does not wait a second for what was wanted after the key was written", async () => {
    const { clock, demand, calls } = scene({ isTrusted: false });
    demand.heard(10n);
    demand.want(11n);
    await clock.step(15);
    demand.want(20n);
    demand.heard(12n);
    await clock.step(15);
    assert.deepEqual(calls, ["touch", "touch"]);
  });

  it("writes ever less often while readers keep wanting what others have written", async () => {
    const { clock, demand, calls } = scene({ isTrusted: false });
    let revision = 10n;
    demand.heard(revision);
    for (let ms = 0; ms < 10_000; ms += 10) {
      const before = calls.length;
      demand.want(++revision);
      await clock.step(10);
      if (calls.length > before) demand.heard(++revision);
    }
    assert.ok(calls.length < 20, `${calls.length} writes in 10 s`);
  });

  it("writes nothing when the event that is waited for was on its way", async () => {
    const { clock, demand, calls } = scene({ isTrusted: false });
    demand.heard(10n);
    demand.want(11n);
    await clock.step(10);
    demand.heard(11n);
    await clock.step(10_000);
    assert.deepEqual(calls, []);
  });

  it("gives a new watch the time to read the past before it writes", async () => {
    const { clock, demand, calls } = scene({ isTrusted: false });
    demand.want(11n);
    await clock.step(299);
    assert.deepEqual(calls, []);
    await clock.step(1);
    assert.deepEqual(calls, ["touch"]);
  });

  it("reports a member that says nothing, from the time that there was something to say", async () => {
    const { clock, demand, calls } = scene({ isTrusted: true });
    await clock.step(60_000);
    demand.want(11n);
    await clock.step(3500);
    assert.ok(!calls.includes("stall"));
    await clock.step(200);
    assert.equal(calls.at(-1), "stall");
    await clock.step(10_000);
    assert.equal(calls.at(-1), "stall");
  });

  it("is silent after it was disposed", async () => {
    const { clock, demand, calls } = scene({ isTrusted: true });
    demand.want(11n);
    demand[Symbol.dispose]();
    demand.want(12n);
    await clock.step(10_000);
    assert.deepEqual(calls, ["ask"]);
  });
});
