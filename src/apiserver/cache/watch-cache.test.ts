import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { MemoryStore } from "../../storage/memory/memory-store.ts";
import {
  CompactedError,
  StoreUnavailableError,
  type WatchBatch,
  type WatchQuery,
} from "../../storage/store.ts";
import { ScriptedSink, TextEncoder } from "../testing/scripted-sink.ts";
import { encodeForStore, ObjectHead } from "./cached-object.ts";
import { WatchCache } from "./watch-cache.ts";
import { Watcher } from "./watcher.ts";

const kind = { group: "", version: "v1", kind: "ConfigMap" };
const prefix = "core/configmaps/";

function value(name: string, text = ""): Buffer {
  return encodeForStore(kind, { metadata: { name, namespace: "n" }, data: { text } });
}

interface Running extends AsyncDisposable {
  readonly store: MemoryStore;
  readonly cache: WatchCache;
  readonly clock: FakeClock;
  readonly logger: CaptureLogger;
}

async function running(store: MemoryStore = new MemoryStore()): Promise<Running> {
  const clock = new FakeClock();
  const logger = new CaptureLogger();
  const cache = new WatchCache({
    store,
    kinds: [{ prefix, head: new ObjectHead(kind) }],
    clock,
    random: seededRandom(1),
    logger,
  });
  const stop = new AbortController();
  const ended = [store.run(stop.signal), cache.run(stop.signal)];
  await cache.ready();
  return {
    store,
    cache,
    clock,
    logger,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(ended);
    },
  };
}

/** Each watch ends as the script says, after its first batch. */
class FailingStore extends MemoryStore {
  readonly #failures: Error[];

  constructor(...failures: Error[]) {
    super();
    this.#failures = failures;
  }

  override async *watch(query: WatchQuery): AsyncGenerator<WatchBatch, void> {
    for await (const batch of super.watch(query)) {
      yield batch;
      const failure = this.#failures.shift();
      if (failure !== undefined) throw failure;
    }
  }
}

describe("WatchCache", () => {
  it("has an acknowledged write as soon as it is asked to be fresh", async () => {
    await using run = await running();
    await run.store.create(`${prefix}n/a`, value("a"));
    await run.cache.fresh();
    equal(run.cache.kind(prefix).get("n/a")?.object.metadata.name, "a");
    equal(run.cache.revision, await run.store.revision());
  });

  it("waits for a revision, and not longer", async () => {
    await using run = await running();
    let isReached = false;
    const reached = run.cache.reached(1n)?.then(() => {
      isReached = true;
    });
    equal(isReached, false);
    await run.store.create("something/else/x", value("x"));
    await reached;
    equal(isReached, true);
    equal(run.cache.reached(1n), undefined);
  });

  it("forgets whoever waits for a revision no longer", async () => {
    await using run = await running();
    const left = new AbortController();
    const reached = run.cache.reached(1_000_000n, left.signal);
    left.abort();
    await reached;
    equal(run.cache.waiting, 0);
  });

  it("goes on from where it was when the store was away, without telling watchers", async () => {
    await using run = await running(new FailingStore(new StoreUnavailableError("away")));
    const sink = new ScriptedSink();
    const encoder = new TextEncoder();
    const scope = { by: "all" } as const;
    run.cache
      .kind(prefix)
      .join(new Watcher({ scope, matches: undefined, encoder, sink, bookmarks: false, nowMs: 0 }));
    await run.store.create(`${prefix}n/a`, value("a"));
    while (run.cache.reached(1n) !== undefined) await run.clock.step(100);
    deepEqual(sink.lines, ["ADDED n/a@1"]);
  });

  it("lists again when the past was compacted, and tells watchers to do the same", async () => {
    await using run = await running(new FailingStore(new CompactedError(1n)));
    const sink = new ScriptedSink();
    const encoder = new TextEncoder();
    const scope = { by: "all" } as const;
    run.cache
      .kind(prefix)
      .join(new Watcher({ scope, matches: undefined, encoder, sink, bookmarks: false, nowMs: 0 }));
    await run.store.create(`${prefix}n/a`, value("a"));
    while (run.cache.reached(1n) !== undefined) await run.clock.step(100);
    deepEqual(sink.lines, ["expired: the watch cache was rebuilt"]);
    ok(run.cache.kind(prefix).get("n/a"));
  });

  it("leaves out one object that cannot be read, and says which", async () => {
    await using run = await running();
    await run.store.create(`${prefix}n/bad`, Buffer.from("garbage"));
    await run.store.create(`${prefix}n/good`, value("good"));
    await run.cache.fresh();
    equal(run.cache.kind(prefix).get("n/bad"), undefined);
    ok(run.cache.kind(prefix).get("n/good"));
    equal(run.logger.records.filter(({ level }) => level === "error").length, 1);
  });

  it("tells watchers how far they are, about once a minute", async () => {
    await using run = await running();
    const sink = new ScriptedSink();
    const nowMs = run.clock.monotonicMs();
    const encoder = new TextEncoder();
    run.cache.kind(prefix).join(
      new Watcher({
        scope: { by: "all" },
        matches: undefined,
        encoder,
        sink,
        bookmarks: true,
        nowMs,
      }),
    );
    for (let seconds = 0; seconds < 130; seconds += 5) await run.clock.step(5000);
    deepEqual(sink.lines, ["BOOKMARK @0", "BOOKMARK @0"]);
  });

  it("begins a little in the past, so that clients can go on after a restart", async () => {
    const store = new MemoryStore();
    const stop = new AbortController();
    const ended = store.run(stop.signal);
    await store.create(`${prefix}n/a`, value("a"));
    let revision = 1n;
    for (let i = 0; i < 5010; i++) {
      const result = await store.update(`${prefix}n/a`, value("a", String(i)), revision);
      if (result.ok) revision = result.revision;
    }
    const cache = new WatchCache({
      store,
      kinds: [{ prefix, head: new ObjectHead(kind) }],
      clock: new FakeClock(),
      random: seededRandom(1),
      logger: new CaptureLogger(),
    });
    const cacheEnded = cache.run(stop.signal);
    await cache.ready();
    await cache.fresh();
    equal(cache.kind(prefix).since(revision - 4000n).length, 4000);
    stop.abort();
    await Promise.all([ended, cacheEnded]);
  });
});
