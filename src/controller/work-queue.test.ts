import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { WorkQueue } from "./work-queue.ts";

const never = new AbortController().signal;

function queueAt(): { readonly clock: FakeClock; readonly queue: WorkQueue } {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue({ clock, random: { next: () => 0, uint32: () => 0 } }) };
}

async function takeAll(queue: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  while (queue.size > 0) taken.push(await queue.take(never));
  return taken;
}

describe("WorkQueue", () => {
  it("hands out a key once however often it was added before its turn", async () => {
    const { queue } = queueAt();
    for (const key of ["a/x", "a/y", "a/x", "a/x"]) queue.add(key);

    assert.deepEqual(await takeAll(queue), ["a/x", "a/y"]);
  });

  it("gives a key that is added while it is worked on one more turn, and only after that", async () => {
    const { queue } = queueAt();
    queue.add("a/x");
    await queue.take(never);
    queue.add("a/x");
    queue.add("a/x");
    assert.equal(queue.size, 0);

    queue.done("a/x");

    assert.deepEqual(await takeAll(queue), ["a/x"]);
    queue.done("a/x");
    assert.ok(queue.isIdle);
  });

  it("goes round the namespaces, so that a busy one keeps nobody waiting", async () => {
    const { queue } = queueAt();
    for (let i = 0; i < 1000; i++) queue.add(`busy/${i}`);
    queue.add("calm/1");
    queue.add("node");

    const first = [await queue.take(never), await queue.take(never), await queue.take(never)];
    assert.deepEqual(first, ["busy/0", "calm/1", "node"]);
    assert.equal(await queue.take(never), "busy/1");
  });

  it("wakes those who wait, in the order in which they came", async () => {
    const { queue } = queueAt();
    const takers = [queue.take(never), queue.take(never)];
    queue.add("a/x");
    queue.add("a/y");

    assert.deepEqual(await Promise.all(takers), ["a/x", "a/y"]);
  });

  it("lets a taker go whose signal aborts, and loses no key to it", async () => {
    const { queue } = queueAt();
    const stop = new AbortController();
    const gone = queue.take(stop.signal);
    const waits = queue.take(never);
    stop.abort();
    await assert.rejects(gone, { name: "AbortError" });

    queue.add("a/x");

    assert.equal(await waits, "a/x");
  });

  it("adds a delayed key at the earliest of its times, and once", async () => {
    const { queue, clock } = queueAt();
    queue.addAfter("a/x", 500);
    queue.addAfter("a/x", 100);
    queue.addAfter("a/x", 900);

    await clock.step(99);
    assert.equal(queue.size, 0);
    await clock.step(1);
    assert.deepEqual(await takeAll(queue), ["a/x"]);
    queue.done("a/x");
    await clock.step(10_000);
    assert.ok(queue.isIdle);
  });

  it("waits twice as long with every failure, up to half a minute, until it is forgotten", async () => {
    const { queue, clock } = queueAt();
    const pauses: number[] = [];
    for (let i = 0; i < 15; i++) {
      const beganMs = clock.monotonicMs();
      queue.addRateLimited("a/x");
      while (queue.size === 0) await clock.step(5);
      queue.done(await queue.take(never));
      pauses.push(clock.monotonicMs() - beganMs);
    }
    assert.deepEqual(pauses.slice(0, 4), [5, 10, 20, 40]);
    assert.equal(pauses.at(-1), 30_000);
    assert.equal(queue.failures("a/x"), 15);

    queue.forget("a/x");
    queue.addRateLimited("a/x");
    await clock.step(5);
    assert.equal(queue.size, 1);
  });

  it("forgets all when it is cleared, timers too", () => {
    const { queue, clock } = queueAt();
    queue.add("a/x");
    queue.addAfter("a/y", 100);
    queue.clear();

    assert.ok(queue.isIdle);
    assert.equal(clock.waiting, 0);
  });

  it("never hands out a key twice at a time and never loses one, whatever the order of calls", async () => {
    const key = fc.constantFrom("a/1", "a/2", "b/1", "c");
    const call = fc.oneof(
      fc.record({ do: fc.constant("add" as const), key }),
      fc.record({ do: fc.constant("after" as const), key, ms: fc.nat(50) }),
      fc.record({ do: fc.constant("done" as const), key }),
      fc.record({ do: fc.constant("take" as const) }),
      fc.record({ do: fc.constant("step" as const), ms: fc.nat(50) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 60 }), async (calls) => {
        const { queue, clock } = queueAt();
        /** Keys that have to be handed out once more than they were. */
        const owed = new Set<string>();
        const working = new Set<string>();
        const delayed = new Map<string, number>();
        for (const one of calls) {
          if (one.do === "add") {
            queue.add(one.key);
            owed.add(one.key);
          } else if (one.do === "after") {
            queue.addAfter(one.key, one.ms);
            const dueMs = clock.monotonicMs() + one.ms;
            delayed.set(one.key, Math.min(dueMs, delayed.get(one.key) ?? Number.POSITIVE_INFINITY));
          } else if (one.do === "done" && working.delete(one.key)) queue.done(one.key);
          else if (one.do === "step") await clock.step(one.ms);
          for (const [due, dueMs] of delayed) {
            if (dueMs > clock.monotonicMs()) continue;
            delayed.delete(due);
            owed.add(due);
          }
          if (one.do === "take" && queue.size > 0) {
            const taken = await queue.take(never);
            assert.ok(owed.delete(taken), `${taken} was not owed`);
            assert.ok(!working.has(taken), `${taken} is worked on`);
            working.add(taken);
          }
          assert.equal(queue.size, [...owed].filter((each) => !working.has(each)).length);
        }
      }),
    );
  });
});
