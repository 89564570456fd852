import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { aborted, deadline, isAbort, linkSignals, unlessAborted, untilAborted } from "./abort.ts";
import { FakeClock } from "./testing/fake-clock.ts";

function listenerCount(signal: AbortSignal): number {
  return getEventListeners(signal, "abort").length;
}

describe("linkSignals", () => {
  it("aborts with the first signal and for its reason", () => {
    const [a, b] = [new AbortController(), new AbortController()];
    using link = linkSignals(a.signal, b.signal);

    b.abort("second");
    a.abort("first");

    assert.equal(link.signal.reason, "second");
  });

  it("is aborted from the start when one of its signals is", () => {
    const a = new AbortController();
    using link = linkSignals(a.signal, AbortSignal.abort("before"));

    assert.equal(link.signal.reason, "before");
    assert.equal(listenerCount(a.signal), 0);
  });

  it("leaves no listener behind when disposed", () => {
    const parent = new AbortController();
    for (let i = 0; i < 100; i++) {
      using _link = linkSignals(parent.signal);
    }

    assert.equal(listenerCount(parent.signal), 0);
  });

  it("leaves no listener on the other signals when one aborts", () => {
    const [a, b] = [new AbortController(), new AbortController()];
    linkSignals(a.signal, b.signal);

    a.abort();

    assert.equal(listenerCount(b.signal), 0);
  });
});

describe("deadline", () => {
  it("aborts with a TimeoutError when its time has passed", async () => {
    const clock = new FakeClock();
    using limit = deadline({ clock, timeoutMs: 500 });

    await clock.step(499);
    assert.equal(limit.signal.aborted, false);
    await clock.step(1);

    assert.equal((limit.signal.reason as Error).name, "TimeoutError");
    assert.match((limit.signal.reason as Error).message, /500 ms/);
    assert.equal(isAbort(limit.signal.reason), false);
  });

  it("keeps neither timer nor listener when disposed", () => {
    const clock = new FakeClock();
    const parent = new AbortController();

    deadline({ clock, timeoutMs: 500, signal: parent.signal })[Symbol.dispose]();

    assert.equal(clock.waiting, 0);
    assert.equal(listenerCount(parent.signal), 0);
  });

  it("aborts with its parent and drops its timer", () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    using limit = deadline({ clock, timeoutMs: 500, signal: parent.signal });

    parent.abort("parent");

    assert.equal(limit.signal.reason, "parent");
    assert.equal(clock.waiting, 0);
  });

  it("starts no timer that stays when its parent has aborted before", () => {
    const clock = new FakeClock();
    using limit = deadline({ clock, timeoutMs: 500, signal: AbortSignal.abort("before") });

    assert.equal(limit.signal.reason, "before");
    assert.equal(clock.waiting, 0);
  });
});

describe("isAbort", () => {
  it("recognises an AbortError and the reason of the signal, nothing else", () => {
    const reason = new Error("told to stop");

    assert.equal(isAbort(AbortSignal.abort().reason), true);
    assert.equal(isAbort(reason, AbortSignal.abort(reason)), true);
    assert.equal(isAbort(reason), false);
    assert.equal(isAbort(undefined, new AbortController().signal), false);
  });
});

describe("aborted", () => {
  it("resolves when the signal aborts, also when it did before", async () => {
    const controller = new AbortController();
    const waiting = aborted(controller.signal);

    controller.abort();

    await waiting;
    await aborted(controller.signal);
  });
});

describe("unlessAborted", () => {
  it("gives what is waited for, or nothing when the signal aborts before", async () => {
    const { signal } = new AbortController();
    assert.deepEqual(await unlessAborted(Promise.resolve([1]), signal), [1]);
    const never = new Promise<object>(() => undefined);
    assert.equal(await unlessAborted(never, AbortSignal.abort()), undefined);
  });
});

describe("untilAborted", () => {
  it("takes the cancellation of its work for a normal end", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const running = untilAborted(controller.signal, (signal) => clock.sleep(1000, signal));

    controller.abort(new Error("told to stop"));

    await running;
  });

  it("rejects when the work fails for another reason during the stop", async () => {
    const controller = new AbortController();
    const running = untilAborted(controller.signal, async (signal) => {
      await aborted(signal);
      throw new Error("disk on fire");
    });

    controller.abort();

    await assert.rejects(running, /disk on fire/);
  });

  it("rejects when the work is cancelled by somebody else", async () => {
    const running = untilAborted(new AbortController().signal, () =>
      Promise.reject(AbortSignal.abort().reason as Error),
    );

    await assert.rejects(running, { name: "AbortError" });
  });
});
