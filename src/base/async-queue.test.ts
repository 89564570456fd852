import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { AsyncQueue, QueueFullError, type WhenFull } from "./async-queue.ts";

function filled<P extends WhenFull>(whenFull: P, capacity: number): AsyncQueue<number, P> {
  const queue = new AsyncQueue<number, P>({ capacity, whenFull });
  for (let i = 1; i <= capacity; i++) {
    void queue.push(i);
  }
  return queue;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}

describe("AsyncQueue", () => {
  it("gives the items in order and ends after close", async () => {
    const queue = filled("fail", 3);
    queue.close();

    assert.deepEqual(await collect(queue), [1, 2, 3]);
  });

  it("wakes a consumer that waits for an item", async () => {
    const queue = new AsyncQueue<string, "fail">({ capacity: 1, whenFull: "fail" });
    const next = queue[Symbol.asyncIterator]().next();

    queue.push("late");

    assert.deepEqual(await next, { value: "late", done: false });
  });

  it("ends a consumer that waits when it is closed", async () => {
    const queue = new AsyncQueue<string, "fail">({ capacity: 1, whenFull: "fail" });
    const all = collect(queue);

    queue.close();

    assert.deepEqual(await all, []);
  });

  it("refuses a second consumer", () => {
    const queue = filled("fail", 1);
    queue[Symbol.asyncIterator]();

    assert.throws(() => queue[Symbol.asyncIterator](), /has a consumer already/);
  });

  it("refuses items after close", async () => {
    const dropping = filled("dropOldest", 1);
    const waiting = filled("wait", 1);
    dropping.close();
    waiting.close();

    assert.throws(() => dropping.push(2), /the queue is closed/);
    await assert.rejects(waiting.push(2), /the queue is closed/);
  });

  it("throws the reason of an abort at the consumer and drops the items", async () => {
    const queue = filled("fail", 2);
    queue.abort(new Error("too slow"));

    await assert.rejects(collect(queue), /too slow/);
    assert.equal(queue.size, 0);
    assert.throws(() => queue.push(3), /too slow/);
  });

  it("lets an abort overtake a close that is still being drained", async () => {
    const queue = filled("fail", 2);
    queue.close();
    queue.abort(new Error("no time to drain"));
    queue.close();

    await assert.rejects(collect(queue), /no time to drain/);
  });

  it("takes no more items from producers when the consumer leaves", async () => {
    const queue = filled("wait", 1);
    const blocked = queue.push(2);
    const refused = assert.rejects(queue.push(3), /the queue is closed/);

    for await (const _item of queue) {
      break;
    }

    await blocked;
    await refused;
    assert.equal(queue.size, 0);
  });
});

describe("AsyncQueue that waits when full", () => {
  it("holds a push back until there is room, in order", async () => {
    const queue = filled("wait", 2);
    const done: number[] = [];
    const pushes = [3, 4].map((item) => queue.push(item).then(() => done.push(item)));
    const items = queue[Symbol.asyncIterator]();
    assert.equal(queue.size, 2);

    await items.next();
    await pushes[0];
    assert.deepEqual(done, [3]);
    await items.next();
    await Promise.all(pushes);
    queue.close();

    assert.deepEqual(await collect(items), [3, 4]);
  });

  it("forgets the item of a push that was aborted while waiting", async () => {
    const queue = filled("wait", 1);
    const controller = new AbortController();
    const blocked = queue.push(2, controller.signal);

    controller.abort(new Error("gave up"));

    await assert.rejects(blocked, /gave up/);
    queue.close();
    assert.deepEqual(await collect(queue), [1]);
  });

  it("leaves no listener on the signal of a push that got through", async () => {
    const queue = filled("wait", 1);
    const { signal } = new AbortController();
    const blocked = queue.push(2, signal);

    await queue[Symbol.asyncIterator]().next();
    await blocked;

    assert.deepEqual(getEventListeners(signal, "abort"), []);
  });

  it("rejects waiting pushes when it is aborted", async () => {
    const queue = filled("wait", 1);
    const blocked = queue.push(2);

    queue.abort(new Error("shut down"));

    await assert.rejects(blocked, /shut down/);
  });
});

describe("AsyncQueue that drops the oldest when full", () => {
  it("keeps the newest items and counts the lost ones", async () => {
    const queue = filled("dropOldest", 2);

    queue.push(3);
    queue.push(4);
    queue.push(5);
    queue.close();

    assert.equal(queue.dropped, 3);
    assert.deepEqual(await collect(queue), [4, 5]);
  });
});

describe("AsyncQueue that fails when full", () => {
  it("throws, names its capacity and keeps what it has", async () => {
    const queue = filled("fail", 2);

    assert.throws(
      () => queue.push(3),
      (err) => err instanceof QueueFullError && /2 items/.test(err.message),
    );
    queue.close();

    assert.deepEqual(await collect(queue), [1, 2]);
  });
});
