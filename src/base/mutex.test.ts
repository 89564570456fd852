import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { Mutex } from "./mutex.ts";
import { FakeClock } from "./testing/fake-clock.ts";

describe("Mutex", () => {
  it("lets one holder in at a time, in the order in which they came", async () => {
    const clock = new FakeClock();
    const mutex = new Mutex();
    const events: string[] = [];
    const work = async (name: string): Promise<void> => {
      using _lock = await mutex.lock();
      events.push(`${name} in`);
      await clock.sleep(10);
      events.push(`${name} out`);
    };

    const all = Promise.all(["a", "b", "c"].map(work));
    await clock.step(30);
    await all;

    assert.deepEqual(events, ["a in", "a out", "b in", "b out", "c in", "c out"]);
  });

  it("does not let a newcomer overtake the one who waits", async () => {
    const mutex = new Mutex();
    const order: string[] = [];
    const first = await mutex.lock();
    const second = mutex.lock().then((lock) => {
      order.push("waiting");
      lock[Symbol.dispose]();
    });

    first[Symbol.dispose]();
    const third = mutex.lock().then((lock) => {
      order.push("newcomer");
      lock[Symbol.dispose]();
    });
    await Promise.all([second, third]);

    assert.deepEqual(order, ["waiting", "newcomer"]);
  });

  it("lets go when the holder throws", async () => {
    const mutex = new Mutex();
    const failing = async (): Promise<void> => {
      using _lock = await mutex.lock();
      throw new Error("in the middle");
    };

    await assert.rejects(failing(), /in the middle/);

    using _lock = await mutex.lock();
  });

  it("forgets a waiter that was aborted and serves the next", async () => {
    const mutex = new Mutex();
    const controller = new AbortController();
    const held = await mutex.lock();
    const impatient = mutex.lock(controller.signal);
    const patient = mutex.lock();

    controller.abort(new Error("no time"));
    await assert.rejects(impatient, /no time/);
    held[Symbol.dispose]();

    (await patient)[Symbol.dispose]();
  });

  it("refuses a signal that has aborted before, even when it is free", async () => {
    await assert.rejects(new Mutex().lock(AbortSignal.abort()), { name: "AbortError" });
  });

  it("keeps no listener on the signal of a holder", async () => {
    const mutex = new Mutex();
    const { signal } = new AbortController();
    const held = await mutex.lock();
    const waiting = mutex.lock(signal);

    held[Symbol.dispose]();
    await waiting;

    assert.deepEqual(getEventListeners(signal, "abort"), []);
  });

  it("is not unlocked for somebody else by letting go twice", async () => {
    const mutex = new Mutex();
    const first = await mutex.lock();
    first[Symbol.dispose]();
    const second = await mutex.lock();

    first[Symbol.dispose]();
    let entered = false;
    const third = mutex.lock().then(() => {
      entered = true;
    });
    await new FakeClock().step(0);
    assert.equal(entered, false);

    second[Symbol.dispose]();
    await third;
  });
});
