import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { Blocker } from "./place-pod.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

interface Bench {
  readonly clock: FakeClock;
  readonly queue: SchedulingQueue;
  /** The key of the next one at once; undefined if there is none. */
  readonly next: () => Promise<string | undefined>;
  /** Takes the next one, which finds no node because of these. */
  readonly block: (...blockers: Blocker[]) => Promise<void>;
}

function bench(): Bench {
  const clock = new FakeClock();
  const queue = new SchedulingQueue(clock);
  const taken = async (): Promise<{ readonly key: string } | undefined> => {
    const stop = new AbortController();
    const taking = queue.take(stop.signal).catch(() => undefined);
    stop.abort();
    return taking;
  };
  return {
    clock,
    queue,
    next: async () => (await taken())?.key,
    block: async (...blockers) => {
      const one = await taken();
      assert.ok(one !== undefined);
      queue.block(one, new Set(blockers));
      queue.finish(one, "blocked");
    },
  };
}

const never = new AbortController().signal;

describe("SchedulingQueue", () => {
  it("gives the highest priority first, and the first come among equals", async () => {
    const { queue, next } = bench();
    for (const [key, priority] of Object.entries({ a: 0, b: 10, c: -5, d: 10 })) {
      queue.add(key, priority);
    }
    assert.deepEqual(
      [await next(), await next(), await next(), await next()],
      ["b", "d", "a", "c"],
    );
    assert.equal(await next(), undefined);
  });

  it("hands one that is added to whoever waits", async () => {
    const { queue } = bench();
    const taking = queue.take(never);
    queue.add("a", 0);
    assert.equal((await taking).key, "a");
  });

  it("gives whoever waited the best of what comes together", async () => {
    const { queue } = bench();
    const taking = [queue.take(never), queue.take(never)];
    for (const [key, priority] of Object.entries({ a: 0, b: 10, c: 20 })) queue.add(key, priority);
    assert.deepEqual(
      (await Promise.all(taking)).map(({ key }) => key),
      ["c", "b"],
    );
  });

  it("keeps what came for somebody who was called away", async () => {
    const { queue, next } = bench();
    const stop = new AbortController();
    const taking = queue.take(stop.signal);
    queue.add("a", 0);
    stop.abort();
    await assert.rejects(taking);
    assert.equal(await next(), "a");
  });

  it("holds a pod once, however often it is added", async () => {
    const { queue, next } = bench();
    queue.add("a", 0);
    queue.add("a", 0);
    assert.equal(await next(), "a");
    queue.add("a", 0);
    assert.equal(await next(), undefined);
  });

  it("lets nobody take what was removed", async () => {
    const { queue, next } = bench();
    queue.add("a", 0);
    queue.remove("a");
    assert.equal(await next(), undefined);
    assert.equal(queue.size, 0);
  });

  it("forgets a pod that is done", async () => {
    const { queue } = bench();
    queue.add("a", 0);
    queue.finish(await queue.take(never), "done");
    assert.equal(queue.size, 0);
  });

  it("keeps a blocked pod until what blocks it changes", async () => {
    const { clock, queue, next, block } = bench();
    queue.add("a", 0);
    await block("taints");
    await clock.step(60_000);
    queue.wake(["resources"]);
    assert.equal(await next(), undefined);
    queue.wake(["resources", "taints"]);
    assert.equal(await next(), "a");
  });

  it("wakes everybody when anything may have changed", async () => {
    const { clock, queue, next, block } = bench();
    queue.add("a", 0);
    await block();
    await clock.step(60_000);
    queue.wake();
    assert.equal(await next(), "a");
  });

  it("makes a pause after each attempt that grows to ten seconds", async () => {
    const { clock, queue, next, block } = bench();
    queue.add("a", 0);
    for (const pauseMs of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      await block("taints");
      queue.wake(["taints"]);
      await clock.step(pauseMs - 1);
      assert.equal(await next(), undefined, `${pauseMs} ms`);
      await clock.step(1);
    }
  });

  it("tries what went wrong again after its pause, without being woken", async () => {
    const { clock, queue, next } = bench();
    queue.add("a", 0);
    queue.finish(await queue.take(never), "failed");
    await clock.step(999);
    assert.equal(await next(), undefined);
    await clock.step(1);
    assert.equal(await next(), "a");
  });

  it("does not lose what changes while the reason is being written down", async () => {
    const { clock, queue, next } = bench();
    queue.add("a", 0);
    const taken = await queue.take(never);
    queue.block(taken, new Set(["resources"]));
    queue.wake(["resources"]);
    queue.finish(taken, "blocked");
    await clock.step(1000);
    assert.equal(await next(), "a");
  });

  it("takes a change of the pod itself as a reason to look again", async () => {
    const { clock, queue, next, block } = bench();
    queue.add("a", 0);
    await block("nodeAffinity");
    queue.add("a", 0);
    await clock.step(1000);
    assert.equal(await next(), "a");
  });

  it("brings everything back after five minutes", async () => {
    const { clock, queue, next, block } = bench();
    queue.add("a", 0);
    await block("taints");
    await clock.step(299_999);
    assert.equal(await next(), undefined);
    await clock.step(1);
    assert.equal(await next(), "a");
  });

  it("does not mistake a new pod for the one of its name that was taken", async () => {
    const { clock, queue, next } = bench();
    queue.add("a", 0);
    const old = await queue.take(never);
    queue.remove("a");
    queue.add("a", 0);
    queue.block(old, new Set(["taints"]));
    queue.finish(old, "done");
    assert.equal(await next(), "a");
    await clock.step(0);
    assert.equal(queue.size, 1);
  });

  it("leaves no timer behind when it is cleared", async () => {
    const { clock, queue, block } = bench();
    queue.add("a", 0);
    queue.add("b", 0);
    await block("taints");
    queue.finish(await queue.take(never), "failed");
    queue.clear();
    assert.equal(clock.waiting, 0);
  });
});
