// What a watch promises, one test per promise. The promise is the first word of the test's name.

import assert from "node:assert/strict";
import { it } from "node:test";
import {
  CompactedError,
  FutureRevisionError,
  type Revision,
  type Store,
  type StoreEvent,
  StoreUnavailableError,
  type WatchBatch,
} from "../store.ts";
import { runStore, type StoreContract } from "./running-store.ts";
import { bytes, createAll, mustWrite, text } from "./test-writes.ts";

/** Of a watcher that is meant to be slow. Far less than the test writes. */
const MAX_PENDING_EVENTS = 20;
const MIB = 2 ** 20;

/** Declares the tests of watches. Part of storeContract(). */
export function watchContract(contract: StoreContract): void {
  it("ordered: delivers events by growing revision, also those of concurrent writers", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const watching = watchUntilMarker(store, 0n);
    await writeConcurrently(store, { writers: 8, writes: 20 });
    await mark(store);
    const { events } = await watching;
    assertGrowing(events);
  });

  it("unique: delivers every event once, also to those who come during the writes", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const writing = writeConcurrently(store, { writers: 8, writes: 20 });
    const watches = await watchFromManyMoments(store, 0n);
    await writing;
    await mark(store);
    for (const { events } of await Promise.all(watches)) {
      const revisions = events.map(({ revision }) => revision);
      assert.equal(new Set(revisions).size, revisions.length);
    }
  });

  it("no gap: the past and then the live events are all there, under concurrent writes", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const after = await store.revision();
    await writeConcurrently(store, { writers: 4, writes: 10 });
    const writing = writeConcurrently(store, { writers: 8, writes: 20, prefix: "/live" });
    const watches = await watchFromManyMoments(store, after);
    const live = await writing;
    await mark(store);

    for (const { events } of await Promise.all(watches)) {
      assert.equal(events.length, 4 * 10 + live.length + 1);
      const seen = new Set(events.map(({ revision }) => revision));
      assert.deepEqual(
        live.filter((revision) => !seen.has(revision)),
        [],
      );
    }
  });

  it("resumable: from every revision that was seen, the rest follows exactly", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const after = await store.revision();
    await writeConcurrently(store, { writers: 3, writes: 5 });
    await mark(store);
    const all = await watchUntilMarker(store, after);
    const seen = [
      ...all.events.map(({ revision }) => revision),
      ...all.batches.map(({ revision }) => revision),
    ];
    for (const from of seen.filter((revision) => revision < (seen.at(-1) ?? 0n))) {
      const rest = await watchUntilMarker(store, from);
      assert.deepEqual(
        rest.events.map(describe),
        all.events.filter(({ revision }) => revision > from).map(describe),
      );
    }
  });

  it("previous value: every event has what it replaced, from the past and live", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const after = await store.revision();
    const live = watchUntilMarker(store, after);
    const created = await mustWrite(store.create("/a", bytes("one")));
    const updated = await mustWrite(store.update("/a", bytes("two"), created));
    const deleted = await mustWrite(store.delete("/a", updated));
    const again = await mustWrite(store.create("/a", bytes("three")));
    await mark(store);

    const expected = [
      `put /a ${created}: one ${created}/${created} before: none`,
      `put /a ${updated}: two ${updated}/${created} before: one ${created}/${created}`,
      `delete /a ${deleted}: none before: two ${updated}/${created}`,
      `put /a ${again}: three ${again}/${again} before: none`,
    ];
    const past = watchUntilMarker(store, after);
    assert.deepEqual((await live).events.slice(0, -1).map(describe), expected, "live");
    assert.deepEqual((await past).events.slice(0, -1).map(describe), expected, "from the past");
  });

  it("previous value: it is there for the first event after a compaction", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("one")));
    const updated = await mustWrite(store.update("/a", bytes("two"), created));
    await mark(store);
    await store.compact(created);
    const { events } = await watchUntilMarker(store, created);
    assert.deepEqual(events.slice(0, -1).map(describe), [
      `put /a ${updated}: two ${updated}/${created} before: one ${created}/${created}`,
    ]);
  });

  it("prefix: delivers the events of the keys with the prefix, and no others", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    await createAll(store, ["/a/1", "/b/1"]);
    const { signal, abort } = aborting();
    const watch = store.watch({ prefix: "/a/", after: 0n, signal })[Symbol.asyncIterator]();
    const first = await nextEvents(watch);
    await createAll(store, ["/a", "/a/2", "/a0", "/é"]);
    const second = await nextEvents(watch);
    abort();
    assert.deepEqual(
      [...first, ...second].map(({ key }) => key),
      ["/a/1", "/a/2"],
    );
  });

  it("progress: a batch's revision never runs ahead of the events, nor back", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const after = await store.revision();
    const watching = watchUntilMarker(store, after);
    const revisions = await writeConcurrently(store, { writers: 8, writes: 20 });
    await mark(store);
    const { batches } = await watching;
    let reached = after;
    const missing = new Set(revisions);
    for (const { events, revision } of batches) {
      assert.ok(revision >= reached, `${revision} comes after ${reached}`);
      for (const event of events) {
        assert.ok(event.revision > reached && event.revision <= revision, describe(event));
        missing.delete(event.revision);
      }
      reached = revision;
      const overtaken = [...missing].filter((one) => one <= reached);
      assert.deepEqual(overtaken, [], `no event up to ${reached} is missing`);
    }
  });

  it("progress: one who has seen everything is told so, with an empty batch if need be", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    await createAll(store, ["/b/1"]);
    const current = await store.revision();
    const { signal, abort } = aborting();
    for await (const { events, revision } of store.watch({ prefix: "/a/", after: 0n, signal })) {
      assert.deepEqual(events, []);
      if (revision >= current) abort();
    }
  });

  it("progress: writes to other keys advance it", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const { signal, abort } = aborting();
    const after = await store.revision();
    const watch = store.watch({ prefix: "/a/", after, signal })[Symbol.asyncIterator]();
    await watch.next();
    const [other = 0n] = await createAll(store, ["/b/1"]);
    for (let reached = after; reached < other; ) {
      const { value } = (await watch.next()) as IteratorYieldResult<WatchBatch>;
      assert.deepEqual(value.events, []);
      reached = value.revision;
    }
    abort();
  });

  it("compacted: one who asks for a past that is gone is told so", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const [first = 0n, second = 0n] = await createAll(store, ["/a", "/b", "/c"]);
    await store.compact(second);
    const { signal, abort } = aborting();
    const gone = store.watch({ prefix: "/", after: first, signal })[Symbol.asyncIterator]();
    await assert.rejects(gone.next(), CompactedError);
    const kept = store.watch({ prefix: "/", after: second, signal })[Symbol.asyncIterator]();
    assert.deepEqual(
      (await nextEvents(kept)).map(({ key }) => key),
      ["/c"],
    );
    abort();
  });

  it("compacted: a watch that has passed the revision goes on", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const { signal, abort } = aborting();
    const watch = store.watch({ prefix: "/", after: 0n, signal })[Symbol.asyncIterator]();
    await createAll(store, ["/a", "/b"]);
    for (let seen = 0; seen < 2; ) seen += (await nextEvents(watch)).length;
    await store.compact(await store.revision());
    await createAll(store, ["/c"]);
    assert.deepEqual(
      (await nextEvents(watch)).map(({ key }) => key),
      ["/c"],
    );
    abort();
  });

  it("future: one who asks for what comes after a revision that has not happened is refused", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const { signal } = aborting();
    const after = (await store.revision()) + 1000n;
    const watch = store.watch({ prefix: "", after, signal })[Symbol.asyncIterator]();
    await assert.rejects(watch.next(), FutureRevisionError);
  });

  it("slow: one who does not take its events is dropped with CompactedError, the others go on", async () => {
    await using running = await runStore(contract, { maxPendingEvents: MAX_PENDING_EVENTS });
    const { store } = running;
    const { signal, abort } = aborting();
    const after = await store.revision();
    const slow = store.watch({ prefix: "/", after, signal })[Symbol.asyncIterator]();
    const fast = store.watch({ prefix: "/", after, signal })[Symbol.asyncIterator]();
    await Promise.all([slow.next(), fast.next()]);

    // The fast one takes each event before the next is written, so only its own speed can drop it.
    for (let i = 0; i < MAX_PENDING_EVENTS * 10; i++) {
      const [revision] = await createAll(store, [`/${i}`]);
      const events = await nextEvents(fast);
      assert.deepEqual(
        events.map((event) => event.revision),
        [revision],
      );
    }
    // What it had been given before may still come.
    await assert.rejects(async () => {
      for (let i = 0; i < MAX_PENDING_EVENTS * 2; i++) await slow.next();
    }, CompactedError);
    abort();
  });

  it("abort: ends the watch without an error, one that waits and one that was not begun", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const { signal, abort } = aborting();
    const watch = store.watch({ prefix: "/", after: 0n, signal })[Symbol.asyncIterator]();
    await watch.next();
    const waiting = watch.next();
    abort();
    assert.equal((await waiting).done, true);
    assert.equal((await watch.next()).done, true);
    const late = store.watch({ prefix: "/", after: 0n, signal });
    for await (const _ of late) assert.fail("a watch whose signal has aborted delivers nothing");
  });

  it("leaving: a consumer that breaks out leaves the store usable", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const { signal } = aborting();
    for await (const _ of store.watch({ prefix: "/", after: 0n, signal })) break;
    await createAll(store, ["/a"]);
    assert.equal((await store.get("/a")).item?.key, "/a");
  });

  it("long past: all of many past events are delivered, in order", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const after = await store.revision();
    const keys = Array.from({ length: 2500 }, (_, i) => `/${i}`);
    await Promise.all(keys.map((key) => store.create(key, bytes(""))));
    await mark(store);
    const { events } = await watchUntilMarker(store, after);
    assertGrowing(events);
    const seen = events.slice(0, -1).map(({ key }) => key);
    assert.deepEqual(seen.toSorted(), keys.toSorted());
  });

  it("large past: all of many past bytes are delivered, in order", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const after = await store.revision();
    const value = new Uint8Array(MIB).fill(7);
    const keys = Array.from({ length: 10 }, (_, i) => `/${i}`);
    for (const key of keys) await mustWrite(store.create(key, value));
    await mark(store);
    const { events } = await watchUntilMarker(store, after);
    const past = events.slice(0, -1);
    assert.deepEqual(
      past.map(({ key }) => key),
      keys,
    );
    assert.ok(past.every((event) => Buffer.compare(event.value?.value ?? bytes(""), value) === 0));
  });

  it("end: one that is in the middle of a long past is told when the store stops", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const after = await store.revision();
    await Promise.all(Array.from({ length: 2500 }, (_, i) => store.create(`/${i}`, bytes(""))));
    const { signal } = aborting();
    const watch = store.watch({ prefix: "/", after, signal })[Symbol.asyncIterator]();
    await nextEvents(watch);
    await running.stop();
    await assert.rejects(async () => {
      for (let i = 0; i < 2500; i++) await watch.next();
    }, StoreUnavailableError);
  });

  it("end: watches are told when the store stops", async () => {
    await using running = await runStore(contract);
    const { signal } = aborting();
    const watch = running.store.watch({ prefix: "/", after: 0n, signal })[Symbol.asyncIterator]();
    await watch.next();
    const waiting = assert.rejects(watch.next(), StoreUnavailableError);
    await running.stop();
    await waiting;
  });
}

/** The last key that a test writes, so that its watchers know when they have everything. */
const MARKER = "/~marker";

async function mark(store: Store): Promise<void> {
  await mustWrite(store.create(MARKER, bytes("")));
}

interface Watched {
  readonly events: readonly StoreEvent[];
  readonly batches: readonly WatchBatch[];
}

/** Everything up to and including the marker. */
async function watchUntilMarker(store: Store, after: Revision): Promise<Watched> {
  const { signal, abort } = aborting();
  const batches: WatchBatch[] = [];
  for await (const batch of store.watch({ prefix: "/", after, signal })) {
    batches.push(batch);
    if (batch.events.some(({ key }) => key === MARKER)) abort();
  }
  return { batches, events: batches.flatMap(({ events }) => events) };
}

/** Begins watches one after another, while something else writes. */
async function watchFromManyMoments(store: Store, after: Revision): Promise<Promise<Watched>[]> {
  const watches: Promise<Watched>[] = [];
  for (let i = 0; i < 10; i++) {
    watches.push(watchUntilMarker(store, after));
    await store.get("/");
  }
  return watches;
}

/** Each writer has a key of its own, which it creates, updates and deletes in turn. Returns all revisions. */
async function writeConcurrently(
  store: Store,
  { writers, writes, prefix = "" }: { writers: number; writes: number; prefix?: string },
): Promise<Revision[]> {
  const written = Array.from({ length: writers }, async (_, writer) => {
    const key = `${prefix}/${writer}`;
    const revisions: Revision[] = [];
    for (let i = 0; i < writes; i++) {
      const last = revisions.at(-1) ?? 0n;
      const write =
        i % 3 === 0
          ? store.create(key, bytes(String(i)))
          : i % 3 === 1
            ? store.update(key, bytes(String(i)), last)
            : store.delete(key, last);
      revisions.push(await mustWrite(write));
    }
    return revisions;
  });
  return (await Promise.all(written)).flat();
}

/** The events of the next batch that has any. */
async function nextEvents(watch: AsyncIterator<WatchBatch>): Promise<readonly StoreEvent[]> {
  for (;;) {
    const result: IteratorResult<WatchBatch, undefined> = await watch.next();
    assert.ok(!result.done, "the watch goes on");
    if (result.value.events.length > 0) return result.value.events;
  }
}

function assertGrowing(events: readonly StoreEvent[]): void {
  let last: Revision = 0n;
  for (const event of events) {
    assert.ok(event.revision > last, `${describe(event)} comes after ${last}`);
    last = event.revision;
  }
}

function describe({ type, key, revision, value, previous }: StoreEvent): string {
  return `${type} ${key} ${revision}: ${describeValue(value)} before: ${describeValue(previous)}`;
}

function describeValue(item: StoreEvent["value"]): string {
  if (item === undefined) return "none";
  return `${text(item.value)} ${item.revision}/${item.createRevision}`;
}

function aborting(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
