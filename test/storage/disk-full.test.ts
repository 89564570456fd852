// A disk that is really full: writes are refused and say why, everything else goes on, and when there is room
// again nobody has to restart anything.

import assert from "node:assert/strict";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { StoreUnavailableError } from "../../src/storage/store.ts";
import { tmpfs } from "../support/tmpfs.ts";
import { countedValue, countOf } from "./counted-value.ts";
import { type OpenedStore, openStore, pastOf } from "./open-store.ts";

const MIB = 2 ** 20;

interface Filled {
  /** Acknowledged. */
  readonly written: Set<string>;
  readonly failures: readonly unknown[];
}

/** Writes keys, many at once, until writes fail. */
async function fill({ store }: OpenedStore, prefix: string): Promise<Filled> {
  const written = new Set<string>();
  const failures: unknown[] = [];
  for (let round = 0; failures.length === 0 && round < 1000; round++) {
    const writes = Array.from({ length: 30 }, async (_, i) => {
      const key = `${prefix}/${round}/${i}`;
      try {
        const result = await store.create(key, countedValue(key, 300 + i));
        if (result.ok) written.add(key);
      } catch (err) {
        failures.push(err);
      }
    });
    await Promise.all(writes);
  }
  return { written, failures };
}

async function assertExactly({ store }: OpenedStore, keys: ReadonlySet<string>): Promise<void> {
  const { items } = await store.range({ prefix: "" });
  for (const item of items) assert.ok(countOf(item) > 0);
  assert.deepEqual(new Set(items.map(({ key }) => key)), keys);
}

describe("SqliteStore on a full disk", () => {
  it("G4 refuses writes and says why, keeps serving reads and watches, and recovers when there is room", async (t) => {
    using disk = tmpfs("size=8m");
    if (!("path" in disk)) return t.skip(disk.reason);
    const ballast = `${disk.path}/ballast`;
    writeFileSync(ballast, Buffer.alloc(3 * MIB));
    await using opened = await openStore(`${disk.path}/data`);
    const { store, logger } = opened;
    const stop = new AbortController();
    const watched: string[] = [];
    const watching = (async () => {
      for await (const { events } of store.watch({ prefix: "", after: 0n, signal: stop.signal })) {
        watched.push(...events.map(({ key }) => key));
      }
    })();

    const { written, failures } = await fill(opened, "/a");

    // Refused, with the reason, and said once to the operator.
    assert.ok(written.size > 0 && failures.length > 0);
    for (const err of failures) {
      assert.ok(err instanceof StoreUnavailableError, String(err));
      assert.match(err.message, /^Cannot write ".*driftless\.db": .*full.*make room/);
    }
    await assert.rejects(store.check(), StoreUnavailableError);
    assert.equal(logger.records.filter(({ message }) => message === "writes fail").length, 1);
    // Nothing half-visible; reads and watches go on.
    await assertExactly(opened, written);
    const events = await pastOf(store);
    assert.equal(events.length, written.size);

    rmSync(ballast);

    await store.check();
    const more = await fill(opened, "/b");
    assert.ok(more.written.size > 0);
    assert.equal(logger.records.filter(({ message }) => message === "writes work again").length, 1);
    const all = new Set([...written, ...more.written]);
    await assertExactly(opened, all);
    stop.abort();
    await watching;
    assert.deepEqual(new Set(watched), all);
    assert.equal(watched.length, all.size);
    return undefined;
  });

  it("recovers with the next write alone, without anybody asking", async (t) => {
    using disk = tmpfs("size=8m");
    if (!("path" in disk)) return t.skip(disk.reason);
    const ballast = `${disk.path}/ballast`;
    writeFileSync(ballast, Buffer.alloc(3 * MIB));
    await using opened = await openStore(`${disk.path}/data`);
    await fill(opened, "/a");

    rmSync(ballast);

    assert.ok((await opened.store.create("/b", countedValue("/b", 400))).ok);
  });

  it("does not fail small writes because a large one came with them", async (t) => {
    using disk = tmpfs("size=8m");
    if (!("path" in disk)) return t.skip(disk.reason);
    await using opened = await openStore(disk.path);
    const { store } = opened;
    // All in one message, and so in one transaction.
    const small = ["/1", "/2", "/3"].map((key) => store.create(key, countedValue(key, 1)));
    const large = store.create("/large", new Uint8Array(9 * MIB));
    const after = store.create("/4", countedValue("/4", 1));

    await assert.rejects(large, StoreUnavailableError);

    const results = await Promise.all([...small, after]);
    assert.deepEqual(
      results.map((result) => result.ok && result.revision),
      [1n, 2n, 3n, 4n],
    );
    return undefined;
  });

  it("has what was acknowledged after a restart on the full disk", async (t) => {
    using disk = tmpfs("size=8m");
    if (!("path" in disk)) return t.skip(disk.reason);
    let acknowledged: ReadonlySet<string>;
    {
      await using opened = await openStore(disk.path);
      acknowledged = (await fill(opened, "/a")).written;
    }
    await using opened = await openStore(disk.path);
    await assertExactly(opened, acknowledged);
    return undefined;
  });

  for (const freeBytes of [0, 4096, 16_384]) {
    it(`says that there is no room to start when ${freeBytes} bytes are free, and starts with more`, async (t) => {
      using disk = tmpfs("size=8m");
      if (!("path" in disk)) return t.skip(disk.reason);
      const directory = `${disk.path}/data`;
      {
        await using opened = await openStore(directory);
        await opened.store.create("/a", countedValue("/a", 300));
      }
      const { bavail, bsize } = statfsSync(disk.path);
      writeFileSync(`${disk.path}/ballast`, Buffer.alloc(bavail * bsize - freeBytes));
      await assert.rejects(openStore(directory), {
        name: "DatabaseRefusedError",
        message: /Cannot open ".*driftless\.db": the disk is full.* Make room, then start again/,
      });
      rmSync(`${disk.path}/ballast`);
      await using opened = await openStore(directory);
      await assertExactly(opened, new Set(["/a"]));
      return undefined;
    });
  }
});
