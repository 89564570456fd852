import assert from "node:assert/strict";
import { copyFileSync, renameSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import type { Store, StoreEvent } from "../store.ts";
import { bytes, mustWrite, text } from "../testing/test-writes.ts";
import { EncryptionKey } from "./encryption-key.ts";
import { changeKeyFile, createKeyFile, readKeyFile } from "./key-file.ts";
import { readRecord } from "./key-record.ts";
import { LOOK_MS, RETIRE_AFTER_MS } from "./reencryption.ts";
import { sealedBy } from "./sealed-value.ts";
import { type KeyUse, surveyStore } from "./survey.ts";
import { PREFIX, RunningServers } from "./testing/running-servers.ts";

const use = (store: Store): Promise<KeyUse> => surveyStore(store, [PREFIX]);

/** Puts a new key in front of the others, as `driftless encryption rotate` does. */
function rotate(file: string): string {
  return changeKeyFile(file, (keys) => [EncryptionKey.generate(), ...keys])[0].id;
}

function firstKey(file: string): string {
  return readKeyFile(file)?.[0].id ?? "";
}

async function fill(store: Store, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await mustWrite(store.create(`${PREFIX}${i}`, bytes(`{"count":${i}}`)));
  }
}

async function assertFilled(store: Store, count: number): Promise<void> {
  const { items } = await store.range({ prefix: PREFIX });
  assert.equal(items.length, count);
  for (const { key, value } of items) {
    assert.equal(text(value), `{"count":${key.slice(PREFIX.length)}}`);
  }
}

describe("Reencryption", () => {
  it("seals what was stored in clear, and remembers when nothing in clear is left, in the past either", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    await fill(servers.raw, 120);
    await using server = await servers.start(file);

    await servers.clock.step(LOOK_MS);
    const after = await use(servers.raw);
    assert.equal(after.inClear, 0);
    assert.deepEqual(after.byKey, new Map([[firstKey(file), 120]]));
    assert.deepEqual(after.record?.sealed, [], "the past has them in clear");
    await assertFilled(server.store, 120);

    await server.store.compact(await server.store.revision());
    await servers.clock.step(RETIRE_AFTER_MS);
    assert.deepEqual((await use(servers.raw)).record?.sealed, [PREFIX]);
  });

  it("has nothing to do in a new store", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    await using server = await servers.start(dir.join("encryption.key"));
    await fill(server.store, 3);
    const before = await servers.raw.revision();
    await servers.clock.step(10 * LOOK_MS);
    assert.equal(await servers.raw.revision(), before);
    assert.deepEqual(
      server.logger.records.map(({ message }) => message),
      ["values are encrypted"],
    );
  });

  it("takes a new key from the file while the server runs, and leaves nothing under the old one", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    await using server = await servers.start(file);
    await fill(server.store, 50);
    const id = rotate(file);

    await servers.clock.step(2 * LOOK_MS);

    assert.deepEqual((await use(servers.raw)).byKey, new Map([[id, 50]]));
    await assertFilled(server.store, 50);
  });

  it("retires the old key when the past that needs it is forgotten, and not before", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    await using server = await servers.start(file);
    await fill(server.store, 3);
    const [old, id] = [firstKey(file), rotate(file)];
    await servers.clock.step(2 * RETIRE_AFTER_MS);
    assert.deepEqual((await readRecord(servers.raw)).record?.keys, [id, old]);

    await server.store.compact(await server.store.revision());
    await servers.clock.step(LOOK_MS);

    const { record } = await readRecord(servers.raw);
    assert.deepEqual(record, { keys: [id], retired: [old], sealed: [PREFIX] });
  });

  it("does not let a retired key write again when it stands first in a file", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    {
      await using server = await servers.start(file);
      rotate(file);
      await servers.clock.step(2 * LOOK_MS);
      await server.store.compact(await server.store.revision());
      await servers.clock.step(RETIRE_AFTER_MS);
    }
    const id = firstKey(file);
    assert.deepEqual((await readRecord(servers.raw)).record?.keys, [id]);
    changeKeyFile(file, ([first, ...old]) => {
      assert.ok(old[0] !== undefined);
      return [old[0], first];
    });
    await using server = await servers.start(file);
    await fill(server.store, 1);
    assert.deepEqual([...(await use(servers.raw)).byKey.keys()], [id]);
  });

  it("loses no write of those who go on writing", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    await using server = await servers.start(file);
    const { store } = server;
    await fill(store, 60);
    const writers = Array.from({ length: 60 }, async (_, i) => {
      for (let count = 1; count <= 20; count++) await increment(store, `${PREFIX}${i}`);
    });
    const id = rotate(file);
    const steps = (async () => {
      for (let i = 0; i < 20; i++) await servers.clock.step(LOOK_MS / 5);
    })();

    await Promise.all([...writers, steps]);
    await servers.clock.step(2 * LOOK_MS);

    const { items } = await store.range({ prefix: PREFIX });
    for (const { key, value } of items) {
      assert.equal(text(value), `{"count":${Number(key.slice(PREFIX.length)) + 20}}`);
    }
    assert.deepEqual((await use(servers.raw)).byKey, new Map([[id, 60]]));
  });

  it("goes on after a server that ended in the middle", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    {
      await using server = await servers.start(file);
      await fill(server.store, 100);
      rotate(file);
      await servers.clock.step(LOOK_MS);
    }
    const id = firstKey(file);
    const half = (await use(servers.raw)).byKey.get(id) ?? 0;
    assert.ok(half > 0 && half < 100, `${half} of 100 are done`);

    await using server = await servers.start(file);
    await servers.clock.step(LOOK_MS);

    assert.deepEqual((await use(servers.raw)).byKey, new Map([[id, 100]]));
    await assertFilled(server.store, 100);
  });

  it("with a key that was first given to all servers, none ever meets what it cannot read", async () => {
    using dir = tempDir();
    const [one, two] = [dir.join("one.key"), dir.join("two.key")];
    await using servers = new RunningServers();
    await using first = await servers.start(one);
    copyFileSync(one, two);
    await using second = await servers.start(two);
    await fill(first.store, 10);
    // (1) All can read with it, nobody writes with it.
    changeKeyFile(one, ([old]) => [old, EncryptionKey.generate()]);
    copyTo(one, two);
    await servers.clock.step(LOOK_MS);
    // (2) One begins, the other follows without a change of its file.
    const { id } = changeKeyFile(one, (keys) => keys.toReversed() as [EncryptionKey])[0];
    await servers.clock.step(2 * LOOK_MS);

    await mustWrite(second.store.create(`${PREFIX}10`, bytes('{"count":10}')));
    assert.deepEqual((await use(servers.raw)).byKey, new Map([[id, 11]]));
    for (const { store, logger } of [first, second]) {
      await assertFilled(store, 11);
      await store.check();
      assert.deepEqual(
        logger.records.filter(({ level }) => level === "error"),
        [],
      );
    }
  });

  it("does not undo the rotation of another server while it does not know of it", async () => {
    using dir = tempDir();
    const [one, two] = [dir.join("one.key"), dir.join("two.key")];
    await using servers = new RunningServers();
    await fill(servers.raw, 200);
    createKeyFile(one);
    changeKeyFile(one, (keys) => [...keys, EncryptionKey.generate()]);
    copyFileSync(one, two);
    const [{ id: ours }] = changeKeyFile(two, (keys) => keys.toReversed() as [EncryptionKey]);
    // In the middle of its walk it waits for the clock ...
    await using _behind = await servers.start(one);
    // ... and meanwhile another server begins with a newer key, also where the first has yet to come.
    await using ahead = await servers.start(two);
    await increment(ahead.store, `${PREFIX}99`);
    await servers.clock.step(10 * LOOK_MS);

    const undone = (await allEvents(servers.raw)).filter(
      ({ key, value, previous }) =>
        previous !== undefined &&
        sealedBy(key, previous.value) === ours &&
        sealedBy(key, value?.value ?? previous.value) !== ours,
    );
    assert.deepEqual(undone, []);
    assert.deepEqual((await use(servers.raw)).byKey, new Map([[ours, 200]]));
  });

  it("leaves a damaged value alone, and keeps the key that may be its own", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    await using server = await servers.start(file);
    await fill(server.store, 2);
    const { item } = await servers.raw.get(`${PREFIX}0`);
    assert.ok(item !== undefined);
    const damaged = Buffer.from(item.value).fill(0, 40, 50);
    await mustWrite(servers.raw.update(item.key, damaged, item.revision));
    const [old, id] = [firstKey(file), rotate(file)];

    for (let i = 0; i < 3; i++) {
      await servers.clock.step(RETIRE_AFTER_MS);
      await server.store.compact(await server.store.revision());
    }

    assert.deepEqual((await readRecord(servers.raw)).record?.keys, [id, old]);
    assert.deepEqual(Buffer.from((await servers.raw.get(item.key)).item?.value ?? []), damaged);
  });
});

/** Below the prefix, from the beginning. */
async function allEvents(store: Store): Promise<StoreEvent[]> {
  const now = await store.revision();
  const events: StoreEvent[] = [];
  const { signal } = new AbortController();
  for await (const batch of store.watch({ prefix: PREFIX, after: 0n, signal })) {
    events.push(...batch.events);
    if (batch.revision >= now) break;
  }
  return events;
}

/** Whole or not at all, as a file is changed. */
function copyTo(from: string, to: string): void {
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}

async function increment(store: Store, key: string): Promise<void> {
  for (;;) {
    const { item } = await store.get(key);
    assert.ok(item !== undefined);
    const { count } = JSON.parse(text(item.value)) as { count: number };
    const value = bytes(`{"count":${count + 1}}`);
    if ((await store.update(key, value, item.revision)).ok) return;
  }
}
