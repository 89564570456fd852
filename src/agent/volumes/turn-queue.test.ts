import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { TurnQueue } from "./turn-queue.ts";

/** A queue whose turns a test takes. */
function manualQueue<T>(perform: (item: T) => Promise<void>): {
  readonly queue: TurnQueue<T>;
  readonly clock: FakeClock;
  /** Runs what was planned for the next turn; says how much that was. */
  readonly turn: () => Promise<number>;
} {
  const clock = new FakeClock();
  const planned: (() => void)[] = [];
  const onNextTurn = (callback: () => void): void => void planned.push(callback);
  const queue = new TurnQueue<T>({ clock, onNextTurn, perform });
  queue.open();
  const turn = async (): Promise<number> => {
    const callbacks = planned.splice(0);
    for (const callback of callbacks) callback();
    await clock.step(0);
    return callbacks.length;
  };
  return { queue, clock, turn };
}

describe("TurnQueue", () => {
  it("starts nothing in the turn in which it was added, and each item once", async () => {
    const done: string[] = [];
    const { queue, turn } = manualQueue<string>(async (item) => void done.push(item));
    await turn();
    queue.add("a", "routine");
    queue.add("b", "routine");
    queue.add("a", "urgent");
    assert.deepEqual(done, []);
    assert.equal(await turn(), 1);
    assert.deepEqual(done, ["a", "b"]);
  });

  it("does what does not wait back to back, in one turn", async () => {
    const done: number[] = [];
    const { queue, turn } = manualQueue<number>(async (item) => void done.push(item));
    await turn();
    for (let i = 0; i < 100; i++) queue.add(i, "urgent");
    await turn();
    assert.equal(done.length, 100);
  });

  it("gives others their turn every 10 ms", async () => {
    let nowMs = 0;
    let done = 0;
    const { queue, clock, turn } = manualQueue<number>(async () => {
      nowMs += 3;
      done++;
    });
    clock.monotonicMs = () => nowMs;
    for (let i = 0; i < 100; i++) queue.add(i, "urgent");
    await turn();
    assert.equal(done, 4);
    await turn();
    assert.equal(done, 8);
  });

  it("gives others their turn also when what takes long comes after a short wait", async () => {
    let nowMs = 0;
    let done = 0;
    const { queue, clock, turn } = manualQueue<number>(async () => {
      await Promise.resolve();
      nowMs += 3;
      done++;
    });
    clock.monotonicMs = () => nowMs;
    for (let i = 0; i < 100; i++) queue.add(i, "urgent");
    await turn();
    assert.equal(done, 8);
  });

  it("bounds how many wait at a time, and keeps room for what is urgent", async () => {
    let running = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const { queue, turn } = manualQueue<number>(async () => {
      running++;
      await promise;
    });
    for (let i = 0; i < 200; i++) queue.add(i, "routine");
    for (let i = 0; i < 20; i++) await turn();
    assert.equal(running, 48);
    for (let i = 1000; i < 1100; i++) queue.add(i, "urgent");
    for (let i = 0; i < 20; i++) await turn();
    assert.equal(running, 64);
    resolve();
    for (let i = 0; i < 20; i++) await turn();
    assert.equal(running, 300);
  });

  it("waits for what runs when it is closed, and starts no more", async () => {
    const done: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const { queue, turn } = manualQueue<string>(async (item) => {
      await promise;
      done.push(item);
    });
    queue.add("a", "routine");
    await turn();
    queue.add("b", "routine");
    const closed = queue.close();
    await turn();
    assert.deepEqual(done, []);
    resolve();
    await closed;
    await turn();
    assert.deepEqual(done, ["a"]);
  });
});
