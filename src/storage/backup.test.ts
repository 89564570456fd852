import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, it } from "node:test";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { type TempDir, tempDir } from "../base/testing/temp-dir.ts";
import { backupDirectory, backupStore, restoreDirectory, restoreStore } from "./backup.ts";
import { MemoryStore } from "./memory/memory-store.ts";
import { lockDirectory } from "./sqlite/data-directory.ts";
import { SqliteStore } from "./sqlite/sqlite-store.ts";
import type { Revision, Store } from "./store.ts";
import { runStore } from "./testing/running-store.ts";
import { bytes, createAll, mustWrite, text } from "./testing/test-writes.ts";

interface Running extends AsyncDisposable {
  readonly store: Store;
}

function run(store: Store): Promise<Running> {
  const open = async (): Promise<AsyncDisposable & { store: Store }> => ({
    store,
    [Symbol.asyncDispose]: async () => undefined,
  });
  return runStore({ name: "", open });
}

function sqlite(dir: TempDir, name: string): Promise<Running> {
  return run(new SqliteStore({ directory: dir.join(name), logger: new CaptureLogger() }));
}

/** A store in memory with 1200 keys, which is more than two pages of a backup, and a past. */
async function filled(): Promise<Running> {
  const running = await run(new MemoryStore());
  const { store } = running;
  const [first = 0n, second = 0n] = await createAll(store, ["/updated", "/deleted"]);
  await createAll(
    store,
    Array.from({ length: 1199 }, (_, i) => `/many/${i}`),
  );
  await mustWrite(store.update("/updated", bytes("new"), first));
  await mustWrite(store.delete("/deleted", second));
  return running;
}

async function describeAll(store: Store, at: { revision?: Revision } = {}): Promise<string[]> {
  const { items } = await store.range({ prefix: "", ...at });
  return items.map(
    ({ key, value, revision, createRevision }) =>
      `${key} ${text(value)} ${revision} ${createRevision}`,
  );
}

describe("backupStore", () => {
  it("puts any store into a file that becomes a SQLite store with the same keys and revisions", async () => {
    using dir = tempDir();
    await using source = await filled();
    const file = dir.join("backup");

    const backup = await backupStore(source.store, { file });
    await restoreDirectory(file, dir.join("data"));

    assert.deepEqual(backup, { revision: await source.store.revision(), keys: 1200 });
    await using restored = await sqlite(dir, "data");
    assert.deepEqual(await describeAll(restored.store), await describeAll(source.store));
    assert.ok((await restored.store.revision()) > backup.revision);
  });

  it("is the state when it began, whatever is written meanwhile", async () => {
    using dir = tempDir();
    await using source = await filled();
    const { store } = source;
    const writing = (async () => {
      for (let i = 0; i < 100; i++) await createAll(store, [`/a/${i}`, `/z/${i}`]);
    })();

    const { revision } = await backupStore(store, { file: dir.join("backup") });

    await writing;
    await restoreDirectory(dir.join("backup"), dir.join("data"));
    await using restored = await sqlite(dir, "data");
    assert.ok(revision < (await store.revision()), "something was written meanwhile");
    assert.deepEqual(await describeAll(restored.store), await describeAll(store, { revision }));
  });

  it("has the key that is empty", async () => {
    using dir = tempDir();
    await using source = await run(new MemoryStore());
    await createAll(source.store, ["", "/a"]);
    const { keys } = await backupStore(source.store, { file: dir.join("backup") });
    assert.equal(keys, 2);
    await using target = await run(new MemoryStore());
    await restoreStore(dir.join("backup"), target.store);
    assert.deepEqual(await describeAll(target.store), await describeAll(source.store));
  });

  it("leaves nothing behind when it fails", async () => {
    using dir = tempDir();
    const stopped = new MemoryStore();
    await assert.rejects(backupStore(stopped, { file: dir.join("backup") }));
    await using source = await filled();
    const { store } = source;
    const broken: Store = Object.assign(Object.create(store) as Store, {
      revision: () => store.revision(),
      range: () => Promise.reject(new Error("broken")),
    });
    await assert.rejects(backupStore(broken, { file: dir.join("backup") }), /broken/);
    assert.deepEqual(readdirSync(dir.path), []);
  });
});

describe("backupDirectory", () => {
  it("copies a store that is closed, and one that this process runs", async () => {
    using dir = tempDir();
    {
      await using running = await sqlite(dir, "data");
      await createAll(running.store, ["/a", "/b"]);
      const backup = await backupDirectory(dir.join("data"), { file: dir.join("running") });
      assert.deepEqual(backup, { revision: 2n, keys: 2 });
      await createAll(running.store, ["/c"]);
    }
    const backup = await backupDirectory(dir.join("data"), { file: dir.join("closed") });
    assert.deepEqual(backup, { revision: 3n, keys: 3 });
  });

  it("makes a file that only its owner can read", async () => {
    using dir = tempDir();
    await using _running = await sqlite(dir, "data");
    await backupDirectory(dir.join("data"), { file: dir.join("backup") });
    assert.equal(statSync(dir.join("backup")).mode & 0o777, 0o600);
    assert.equal(statSync(dir.join("data", "driftless.db")).mode & 0o777, 0o600);
  });

  it("refuses to overwrite a file, unless it is told to", async () => {
    using dir = tempDir();
    await using running = await sqlite(dir, "data");
    await createAll(running.store, ["/a"]);
    const file = dir.join("backup");
    writeFileSync(file, "precious");

    await assert.rejects(backupDirectory(dir.join("data"), { file }), { reason: "exists", file });
    assert.equal(readFileSync(file).toString(), "precious");

    const { keys } = await backupDirectory(dir.join("data"), { file, overwrite: true });
    assert.equal(keys, 1);
    await restoreDirectory(file, dir.join("restored"));
  });

  for (const log of ["-wal", "-journal"]) {
    it(`does not replace a file whose ${log} would be replayed into the backup`, async () => {
      using dir = tempDir();
      await using _running = await sqlite(dir, "data");
      const file = dir.join("backup");
      writeFileSync(file, "old");
      writeFileSync(`${file}${log}`, "pages");

      const attempt = backupDirectory(dir.join("data"), { file, overwrite: true });

      await assert.rejects(attempt, { reason: "exists", message: /it has a log, ".*backup-/ });
      assert.equal(readFileSync(file).toString(), "old");
      assert.equal(readFileSync(`${file}${log}`).toString(), "pages");
    });
  }

  it("does not replace the database that it backs up, by whatever name", async () => {
    using dir = tempDir();
    {
      await using running = await sqlite(dir, "data");
      await createAll(running.store, ["/a"]);
    }
    const database = dir.join("data", "driftless.db");
    symlinkSync(database, dir.join("link"));
    const before = readFileSync(database);
    for (const file of [database, dir.join("link")]) {
      const attempt = backupDirectory(dir.join("data"), { file, overwrite: true });
      await assert.rejects(attempt, { reason: "exists", message: /is to be backed up/ });
    }
    assert.deepEqual(readFileSync(database), before);
  });

  it("does not replace the database of another store that runs", async () => {
    using dir = tempDir();
    await using _source = await sqlite(dir, "data");
    await using other = await sqlite(dir, "other");
    const file = dir.join("other", "driftless.db");

    const attempt = backupDirectory(dir.join("data"), { file, overwrite: true });

    await assert.rejects(attempt, { reason: "exists", message: /Cannot replace ".*": (it|a) / });
    await createAll(other.store, ["/still-there"]);
  });

  it("does not replace a file in a directory that a store has locked", async () => {
    using dir = tempDir();
    await using _source = await sqlite(dir, "data");
    mkdirSync(dir.join("other"));
    writeFileSync(dir.join("other", "driftless.db"), "old");
    const lock = lockDirectory(dir.join("other"));
    try {
      const file = dir.join("other", "driftless.db");
      const attempt = backupDirectory(dir.join("data"), { file, overwrite: true });
      await assert.rejects(attempt, { reason: "exists", message: /a running store uses/ });
      assert.equal(readFileSync(file).toString(), "old");
    } finally {
      lock.close();
    }
  });

  it("says that there is no database", async () => {
    using dir = tempDir();
    mkdirSync(dir.join("data"));
    const attempt = backupDirectory(dir.join("data"), { file: dir.join("backup") });
    await assert.rejects(attempt, /Cannot back up ".*driftless\.db": there is no such file/);
    assert.deepEqual(readdirSync(dir.join("data")), []);
  });
});

describe("restoreStore", () => {
  it("writes the keys of a backup into an empty store of any kind", async () => {
    using dir = tempDir();
    await using source = await filled();
    await backupStore(source.store, { file: dir.join("backup") });
    await using target = await run(new MemoryStore());

    await restoreStore(dir.join("backup"), target.store);

    const valuesOf = async (store: Store): Promise<string[]> =>
      (await store.range({ prefix: "" })).items.map((item) => `${item.key} ${text(item.value)}`);
    assert.deepEqual(await valuesOf(target.store), await valuesOf(source.store));
  });

  it("refuses a store that has keys", async () => {
    using dir = tempDir();
    await using source = await filled();
    await backupStore(source.store, { file: dir.join("backup") });
    await assert.rejects(restoreStore(dir.join("backup"), source.store), /has keys already/);
  });

  it("reads a backup that cannot be written, in a directory that cannot either", async () => {
    using dir = tempDir();
    await using source = await filled();
    mkdirSync(dir.join("read-only"));
    await backupStore(source.store, { file: dir.join("read-only", "backup") });
    chmodSync(dir.join("read-only", "backup"), 0o400);
    chmodSync(dir.join("read-only"), 0o500);
    await using target = await run(new MemoryStore());
    const { keys } = await restoreStore(dir.join("read-only", "backup"), target.store);
    assert.equal(keys, 1200);
    assert.deepEqual(readdirSync(dir.join("read-only")), ["backup"]);
  });
});
