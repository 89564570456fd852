import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CompactedError, type Revision, type StoreEvent, type WatchBatch } from "./store.ts";
import { type PastPage, WatchHub } from "./watch-hub.ts";

function put(revision: Revision, key = "/a", size = 0): StoreEvent {
  const value = { key, value: new Uint8Array(size), revision, createRevision: revision };
  return { type: "put", key, revision, value, previous: undefined };
}

const nothing = (after: Revision): PastPage => ({ events: [], revision: after, hasMore: false });

function watchFrom(
  hub: WatchHub,
  after: Revision,
  readPast: (after: Revision) => PastPage | Promise<PastPage> = nothing,
): AsyncGenerator<WatchBatch, void> {
  return hub.watch({ prefix: "/", after, signal: new AbortController().signal }, readPast);
}

async function revisionsOf(watch: AsyncGenerator<WatchBatch, void>): Promise<Revision[]> {
  const { value } = await watch.next();
  assert.ok(value !== undefined);
  return value.events.map(({ revision }) => revision);
}

describe("WatchHub", () => {
  it("gives everything that was published since the last batch as one", async () => {
    const hub = new WatchHub();
    const watch = watchFrom(hub, 0n);
    await watch.next();
    hub.publish([put(1n), put(2n)], 2n);
    hub.publish([put(3n)], 3n);
    assert.deepEqual(await revisionsOf(watch), [1n, 2n, 3n]);
  });

  it("leaves out what was read from the past before it was published", async () => {
    const hub = new WatchHub();
    const watch = watchFrom(hub, 0n, () => ({
      events: [put(1n), put(2n)],
      revision: 2n,
      hasMore: false,
    }));
    assert.deepEqual(await revisionsOf(watch), [1n, 2n]);
    hub.publish([put(1n)], 1n);
    // Takes what is pending at once. It is not news, so it waits on.
    const news = revisionsOf(watch);
    hub.publish([put(2n), put(3n)], 3n);
    assert.deepEqual(await news, [3n]);
  });

  it("misses nothing that is published while the past is being read", async () => {
    const hub = new WatchHub();
    const watch = watchFrom(hub, 0n, async (after) => {
      const page = { events: [put(after + 1n)], revision: after + 1n, hasMore: after < 1n };
      hub.publish([put(3n)], 3n);
      return Promise.resolve(page);
    });
    assert.deepEqual(await revisionsOf(watch), [1n]);
    assert.deepEqual(await revisionsOf(watch), [2n]);
    assert.deepEqual(await revisionsOf(watch), [3n]);
  });

  it("forgives a watcher that was slow while it was still given pages of the past", async () => {
    const hub = new WatchHub({ maxPendingEvents: 2 });
    const watch = watchFrom(hub, 0n, (after) =>
      after === 0n
        ? { events: [put(1n)], revision: 1n, hasMore: true }
        : { events: [put(2n), put(9n)], revision: 9n, hasMore: false },
    );
    await watch.next();
    for (let revision = 2n; revision < 10n; revision++) hub.publish([put(revision)], revision);
    assert.deepEqual(await revisionsOf(watch), [2n, 9n]);
    hub.publish([put(10n)], 10n);
    assert.deepEqual(await revisionsOf(watch), [10n]);
  });

  it("drops a watcher for which too many bytes wait", async () => {
    const hub = new WatchHub();
    const watch = watchFrom(hub, 0n);
    await watch.next();
    for (let revision = 1n; revision <= 30n; revision++) {
      hub.publish([put(revision, "/a", 3 * 2 ** 20)], revision);
    }
    await assert.rejects(watch.next(), CompactedError);
  });

  it("never drops a watcher that keeps up, however much comes at once", async () => {
    const hub = new WatchHub({ maxPendingEvents: 2 });
    const watch = watchFrom(hub, 0n);
    await watch.next();
    const many = Array.from({ length: 100 }, (_, i) => put(BigInt(i + 1)));
    hub.publish(many, 100n);
    assert.equal((await revisionsOf(watch)).length, 100);
  });

  it("lets a watcher have what it was owed before it is closed", async () => {
    const hub = new WatchHub();
    const watch = watchFrom(hub, 0n);
    await watch.next();
    hub.publish([put(1n)], 1n);
    hub.close(new Error("closed"));
    assert.deepEqual(await revisionsOf(watch), [1n]);
    await assert.rejects(watch.next(), /closed/);
  });
});
