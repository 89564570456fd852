import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import type { Worker } from "node:worker_threads";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { StoreUnavailableError, type WatchBatch } from "../store.ts";
import { storeContract } from "../testing/store-contract.ts";
import { bytes, createAll, mustWrite, text } from "../testing/test-writes.ts";
import { SqliteStore } from "./sqlite-store.ts";

storeContract({
  name: "SqliteStore",
  open: async (options) => {
    const dir = tempDir();
    return {
      store: new SqliteStore({ ...options, directory: dir.path, logger: new CaptureLogger() }),
      [Symbol.asyncDispose]: async () => dir[Symbol.dispose](),
    };
  },
});

interface Running extends AsyncDisposable {
  readonly store: SqliteStore;
  readonly run: Promise<void>;
  /** The threads that it started: the writer, then the reader. */
  readonly threads: readonly Worker[];
}

async function start(dir: TempDir): Promise<Running> {
  const threads: Worker[] = [];
  const onWorker = (worker: Worker): void => void threads.push(worker);
  process.on("worker", onWorker);
  const store = new SqliteStore({ directory: dir.join("data"), logger: new CaptureLogger() });
  const stop = new AbortController();
  const run = store.run(stop.signal);
  await store.ready();
  process.off("worker", onWorker);
  return {
    store,
    run,
    threads,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.allSettled([run]);
    },
  };
}

describe("SqliteStore", () => {
  it("has everything after a restart: values, revisions, the past, what is compacted", async () => {
    using dir = tempDir();
    let updated: bigint;
    {
      await using running = await start(dir);
      const { store } = running;
      const [created = 0n, other = 0n] = await createAll(store, ["/a", "/b"]);
      updated = await mustWrite(store.update("/a", bytes("new"), created));
      await mustWrite(store.delete("/b", other));
      await store.compact(other);
    }
    await using running = await start(dir);
    const { store } = running;
    const { item, revision } = await store.get("/a");
    assert.equal(text(item?.value), "new");
    assert.equal(item?.revision, updated);
    assert.equal(revision, updated + 1n);
    assert.equal((await store.range({ prefix: "", revision: updated })).items.length, 2);
    await assert.rejects(store.range({ prefix: "", revision: 1n }), { name: "CompactedError" });
    assert.equal(await mustWrite(store.create("/c", bytes(""))), revision + 1n);
  });

  it("has published a write when its writer hears of it, so that a cache fed by a watch is not behind", async () => {
    using dir = tempDir();
    await using running = await start(dir);
    const { store } = running;
    const { signal } = new AbortController();
    const watch = store.watch({ prefix: "", after: 0n, signal })[Symbol.asyncIterator]();
    await watch.next();
    let reached = 0n;
    for (let i = 0; i < 20; i++) {
      const next = watch.next().then((result: IteratorResult<WatchBatch, unknown>) => {
        if (!result.done) reached = result.value.revision;
      });
      const written = await mustWrite(store.create(`/${i}`, bytes("")));
      // Promises settle, but nothing else happens: no message of a thread can come in between.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      assert.equal(reached, written);
      await next;
    }
  });

  it("leaves one file and the lock behind when it is stopped", async () => {
    using dir = tempDir();
    {
      await using running = await start(dir);
      await createAll(running.store, ["/a"]);
    }
    assert.deepEqual(readdirSync(dir.join("data")).toSorted(), ["driftless.db", "driftless.lock"]);
  });

  for (const [index, name] of ["writer", "reader"].entries()) {
    it(`rejects those who wait, and fails, when its ${name} thread dies`, async () => {
      using dir = tempDir();
      await using running = await start(dir);
      const { store, run, threads } = running;
      const { signal } = new AbortController();
      const watch = store.watch({ prefix: "", after: 0n, signal })[Symbol.asyncIterator]();
      await watch.next();
      const failed = assert.rejects(run, { message: new RegExp(`${name}-worker ended`) });
      const waiting = Promise.allSettled(
        Array.from({ length: 100 }, (_, i) =>
          name === "writer" ? store.create(`/${i}`, bytes("")) : store.get(`/${i}`),
        ),
      );

      await threads[index]?.terminate();

      await failed;
      for (const result of await waiting) {
        assert.ok(result.status === "fulfilled" || result.reason instanceof StoreUnavailableError);
      }
      await assert.rejects(async () => {
        for (;;) if ((await watch.next()).done) return;
      }, StoreUnavailableError);
      await assert.rejects(store.get("/a"), StoreUnavailableError);
    });
  }

  for (const [index, name] of ["writer", "reader"].entries()) {
    it(`answers who tries again as soon as it hears that the ${name} thread has died`, async () => {
      using dir = tempDir();
      await using running = await start(dir);
      const { store, run, threads } = running;
      const calls: readonly (() => Promise<unknown>)[] =
        name === "writer"
          ? [() => store.create("/a", bytes("")), () => store.compact(0n), () => store.check()]
          : [() => store.get("/a"), () => store.range({ prefix: "" })];
      // They call until they are refused, so that some are under way when the thread ends, however
      // late that is.
      const retried = calls.flatMap((call) =>
        Array.from({ length: 100 }, async () => {
          await assert.rejects(async () => {
            for (;;) await call();
          }, StoreUnavailableError);
          await assert.rejects(call(), StoreUnavailableError);
        }),
      );
      const failed = assert.rejects(run, StoreUnavailableError);

      await threads[index]?.terminate();

      await failed;
      await Promise.all(retried);
    });
  }

  it("fails run() and ready() with the reason when it cannot make its directory", async () => {
    using dir = tempDir();
    dir.write({ "data/file": "" });
    const directory = dir.join("data", "file");
    const store = new SqliteStore({ directory, logger: new CaptureLogger() });
    await assert.rejects(store.run(new AbortController().signal), (err) => {
      assert.ok(err instanceof StoreUnavailableError);
      assert.match(String(err.cause), /EEXIST|ENOTDIR/);
      return true;
    });
    await assert.rejects(store.ready(), StoreUnavailableError);
  });

  it("refuses writes beyond those that may wait, and keeps its promise to the others", async () => {
    using dir = tempDir();
    await using running = await start(dir);
    const writes = Array.from({ length: 10_050 }, (_, i) =>
      running.store.create(`/${i}`, bytes("")),
    );
    const results = await Promise.allSettled(writes);
    const refused = results.filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 50);
    assert.equal((await running.store.range({ prefix: "/", limit: 1 })).remaining, 9999);
  });

  it("refuses writes beyond the bytes that may wait, until those are written", async () => {
    using dir = tempDir();
    await using running = await start(dir);
    const { store } = running;
    const value = new Uint8Array(2 ** 20);
    // No key has this revision: they cross to the thread, but not to the disk.
    const writes = Array.from({ length: 260 }, (_, i) => store.update(`/${i}`, value, 1n));
    const results = await Promise.allSettled(writes);
    const refused = results.filter(({ status }) => status === "rejected");
    assert.ok(refused.length >= 4, `${refused.length} are refused`);
    assert.ok(refused.length <= 5, `${refused.length} are refused`);
    assert.equal((await store.update("/a", value, 1n)).ok, false);
  });
});
