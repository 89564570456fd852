import assert from "node:assert/strict";
import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { CompactedError, type StoreEvent, StoreUnavailableError } from "../store.ts";
import { bytes, mustWrite, text } from "../testing/test-writes.ts";
import { UNREADABLE } from "./encrypted-store.ts";
import { EncryptionKey } from "./encryption-key.ts";
import { changeKeyFile, createKeyFile, readKeyFile } from "./key-file.ts";
import { RECORD_KEY, readRecord } from "./key-record.ts";
import { joined, PREFIX, RunningServers } from "./testing/running-servers.ts";

const MARKER = '{"kind":"Secret","data":"a value that nobody may find"}';

describe("EncryptedStore", () => {
  it("stores values below its prefixes as something else, and all others as they are", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    await using server = await servers.start(dir.join("encryption.key"));

    await mustWrite(server.store.create(`${PREFIX}a`, bytes(MARKER)));
    await mustWrite(server.store.create("core/configmaps/a", bytes(MARKER)));

    const { items } = await servers.raw.range({ prefix: "core/" });
    const [configMap, secret] = items.map(({ value }) => Buffer.from(value).toString("latin1"));
    assert.equal(configMap, MARKER);
    assert.match(secret ?? "", /^\0DSE/);
    assert.equal(secret?.includes("nobody"), false);
    assert.equal(text((await server.store.get(`${PREFIX}a`)).item?.value), MARKER);
  });

  it("hands over what it does not encrypt without touching it", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    await using server = await servers.start(dir.join("encryption.key"));
    const value = bytes("a");
    await mustWrite(server.store.create("core/configmaps/a", value));
    const { items } = await server.store.range({ prefix: "" });
    assert.equal(items.find(({ key }) => key === "core/configmaps/a")?.value, value);
  });

  it("reads a value that was stored in clear before", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    await mustWrite(servers.raw.create(`${PREFIX}a`, bytes(MARKER)));
    await using server = await servers.start(dir.join("encryption.key"));
    assert.equal(text((await server.store.get(`${PREFIX}a`)).item?.value), MARKER);
  });

  it("never hands out a value that it cannot decrypt, nor loses the others for it", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    await using server = await servers.start(dir.join("encryption.key"));
    const { store } = server;
    await mustWrite(store.create(`${PREFIX}a`, bytes(MARKER)));
    const { item } = await servers.raw.get(`${PREFIX}a`);
    assert.ok(item !== undefined);
    const moved = await mustWrite(servers.raw.create(`${PREFIX}b`, item.value));

    await assert.rejects(store.get(`${PREFIX}b`), /Cannot decrypt "core\/secrets\/b"/);
    await assert.rejects(store.create(`${PREFIX}b`, bytes("{}")), /Cannot decrypt/);
    const { items } = await store.range({ prefix: PREFIX });
    assert.deepEqual(
      items.map(({ value }) => text(value)),
      [MARKER, ""],
    );
    assert.equal(items[1]?.value, UNREADABLE);
    const events = await eventsUpTo(store.watch.bind(store), moved);
    assert.deepEqual(
      events.map(({ value }) => text(value?.value)),
      [MARKER, ""],
    );
    const replaced = await store.update(`${PREFIX}b`, bytes("{}"), moved);
    assert.ok(replaced.ok, "a write that has happened is not an error");
    assert.equal(replaced.previous?.value, UNREADABLE);
    assert.equal(text((await store.get(`${PREFIX}b`)).item?.value), "{}");
  });

  it("goes on when the key file becomes unusable, and says so", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    await using server = await servers.start(file);
    writeFileSync(file, "half a li");

    await servers.clock.step(10_000);

    await mustWrite(server.store.create(`${PREFIX}a`, bytes(MARKER)));
    assert.equal(text((await server.store.get(`${PREFIX}a`)).item?.value), MARKER);
    assert.ok(
      server.logger.records.some(({ message }) => message === "cannot read the key file again"),
    );
  });

  it("is not ready while a key is missing, and has its watchers list again when it comes", async () => {
    using dir = tempDir();
    const [file, other] = [dir.join("encryption.key"), dir.join("other.key")];
    await using servers = new RunningServers();
    await using server = await servers.start(file);
    copyFileSync(file, other);
    changeKeyFile(other, (keys) => [EncryptionKey.generate(), ...keys]);
    await using ahead = await servers.start(other);
    const after = await servers.raw.revision();
    const watch = server.store
      .watch({ prefix: "", after, signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    const created = await mustWrite(ahead.store.create(`${PREFIX}a`, bytes(MARKER)));

    let batch = await watch.next();
    while (batch.value !== undefined && batch.value.revision < created) batch = await watch.next();
    assert.equal(batch.value?.events[0]?.value?.value, UNREADABLE);
    await assert.rejects(server.store.check(), /the key [0-9a-f]{16}, which ".*" does not have/);

    renameSync(other, file);
    const relisting = assert.rejects(async () => {
      for (;;) await watch.next();
    }, CompactedError);
    await servers.clock.step(5000);
    await relisting;
    await server.store.check();
    assert.equal(text((await server.store.get(`${PREFIX}a`)).item?.value), MARKER);
  });
});

describe("EncryptedStore at its start", () => {
  it("makes a key for a new store, and uses it from then on", async () => {
    using dir = tempDir();
    const file = dir.join("data", "encryption.key");
    await using servers = new RunningServers();
    {
      await using server = await servers.start(file);
      await mustWrite(server.store.create(`${PREFIX}a`, bytes(MARKER)));
    }
    const keys = readFileSync(file, "utf8");
    await using server = await servers.start(file);
    assert.equal(text((await server.store.get(`${PREFIX}a`)).item?.value), MARKER);
    assert.equal(readFileSync(file, "utf8"), keys);
  });

  it("refuses a store with encrypted values when the key file is gone, and makes no other", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    await (await servers.start(file))[Symbol.asyncDispose]();
    const id = readKeyFile(file)?.[0].id;
    rmSync(file);

    await assert.rejects(servers.start(file), {
      name: "EncryptionRefusedError",
      message: new RegExp(`encrypted with the key ${id}, and there is no key file "${file}"`),
    });
    assert.equal(readKeyFile(file), undefined);
  });

  it("refuses a key file without the key that is needed, by its id and the file's name", async () => {
    using dir = tempDir();
    const [file, wrong] = [dir.join("encryption.key"), dir.join("wrong.key")];
    await using servers = new RunningServers();
    await (await servers.start(file))[Symbol.asyncDispose]();
    createKeyFile(wrong);
    const id = readKeyFile(file)?.[0].id;

    await assert.rejects(servers.start(wrong), {
      name: "EncryptionRefusedError",
      message: new RegExp(`encrypted with the key ${id}, which "${wrong}" does not have`),
    });
  });

  it("refuses a key file that others can read", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    createKeyFile(file);
    chmodSync(file, 0o644);
    await using servers = new RunningServers();
    await assert.rejects(servers.start(file), /others can use it, with mode 0644; run: chmod 600/);
    assert.equal((await servers.raw.get(RECORD_KEY)).item, undefined);
  });

  it("finds sealed values also when the record of their keys is lost", async () => {
    using dir = tempDir();
    const [file, wrong] = [dir.join("encryption.key"), dir.join("wrong.key")];
    await using servers = new RunningServers();
    {
      await using server = await servers.start(file);
      await mustWrite(server.store.create(`${PREFIX}a`, bytes(MARKER)));
    }
    const { item } = await servers.raw.get(RECORD_KEY);
    await mustWrite(servers.raw.delete(RECORD_KEY, item?.revision ?? 0n));

    await assert.rejects(servers.start(wrong), /there is no key file/);
    createKeyFile(wrong);
    await assert.rejects(servers.start(wrong), /does not have/);
    await using server = await servers.start(file);
    assert.equal(text((await server.store.get(`${PREFIX}a`)).item?.value), MARKER);
  });

  it("lets one of many servers decide that start at once with keys of their own, and refuses the others", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    const files = Array.from({ length: 5 }, (_, i) => dir.join(`server-${i}`, "encryption.key"));

    const started = await Promise.allSettled(files.map((file) => servers.start(file)));

    const running = started.filter((one) => one.status === "fulfilled");
    const refused = started.filter((one) => one.status === "rejected");
    assert.equal(running.length, 1);
    const { record } = await readRecord(servers.raw);
    assert.equal(record?.keys.length, 1);
    for (const { reason } of refused) {
      assert.match(
        String(reason),
        new RegExp(`the key ${record?.keys[0]}, which .* does not have`),
      );
    }
    for (const { value } of running) await value[Symbol.asyncDispose]();
  });

  it("lets all servers in that share a key file, also when they start at once", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    const file = dir.join("encryption.key");
    const [first, ...others] = await Promise.all([
      servers.start(file),
      servers.start(file),
      servers.start(file),
    ]);
    const started = [first, ...others];
    await mustWrite(first.store.create(`${PREFIX}a`, bytes(MARKER)));
    for (const { store } of started) {
      assert.equal(text((await store.get(`${PREFIX}a`)).item?.value), MARKER);
    }
    for (const server of started) await server[Symbol.asyncDispose]();
  });

  it("serves reads from a full disk after a rotation, and takes the new key when there is room", async () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    await using servers = new RunningServers();
    {
      await using server = await servers.start(file);
      await mustWrite(server.store.create(`${PREFIX}a`, bytes(MARKER)));
    }
    const [{ id }] = changeKeyFile(file, (keys) => [EncryptionKey.generate(), ...keys]);
    let isFull = true;
    const disk = joined(servers.raw);
    await using server = await servers.start(file, {
      ...disk,
      update: (...write) =>
        isFull ? Promise.reject(new StoreUnavailableError("no room")) : disk.update(...write),
    });
    assert.equal(text((await server.store.get(`${PREFIX}a`)).item?.value), MARKER);

    isFull = false;
    await servers.clock.step(5000);
    assert.equal((await readRecord(servers.raw)).record?.keys[0], id);
  });

  it("waits for a store that is away", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    const behind = joined(servers.raw);
    let asked = 0;
    const starting = servers.start(dir.join("encryption.key"), {
      ...behind,
      get: (key) =>
        ++asked < 3 ? Promise.reject(new StoreUnavailableError("no leader")) : behind.get(key),
    });
    await servers.clock.step(2000);
    await using server = await starting;
    await server.store.check();
  });

  it("refuses a store whose record is of a newer program", async () => {
    using dir = tempDir();
    await using servers = new RunningServers();
    await mustWrite(servers.raw.create(RECORD_KEY, bytes('{"version":2}')));
    await assert.rejects(servers.start(dir.join("encryption.key")), /or of a newer version/);
  });
});

/** Those of a watch from the beginning. */
async function eventsUpTo(
  watch: (query: {
    prefix: string;
    after: bigint;
    signal: AbortSignal;
  }) => AsyncIterable<{ events: readonly StoreEvent[]; revision: bigint }>,
  revision: bigint,
): Promise<StoreEvent[]> {
  const events: StoreEvent[] = [];
  const { signal } = new AbortController();
  for await (const batch of watch({ prefix: PREFIX, after: 0n, signal })) {
    events.push(...batch.events);
    if (batch.revision >= revision) break;
  }
  return events;
}
