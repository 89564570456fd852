// A store from before encryption, and keys after their time: what is left of both, and where.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { backupDirectory } from "../../src/storage/backup.ts";
import { EncryptedStore } from "../../src/storage/encryption/encrypted-store.ts";
import { EncryptionKey } from "../../src/storage/encryption/encryption-key.ts";
import { changeKeyFile, readKeyFile } from "../../src/storage/encryption/key-file.ts";
import { SEALED_PREFIXES } from "../../src/storage/encryption/sealed-prefixes.ts";
import { type KeyUse, surveyDirectory } from "../../src/storage/encryption/survey.ts";
import { SqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import type { Store } from "../../src/storage/store.ts";
import { bytes, mustWrite, text } from "../../src/storage/testing/test-writes.ts";
import { openStore } from "../storage/open-store.ts";
import { driftless } from "./driftless-command.ts";

const MARKER = '{"data":"written before there was encryption"}';
const KEY = "core/secrets/default/a";

interface Running extends AsyncDisposable {
  readonly store: Store;
  /** Lets the re-encryption go on until the store is like this. */
  settle(isSettled: (use: KeyUse) => boolean): Promise<void>;
}

async function start(directory: string, keyFile: string): Promise<Running> {
  const logger = new CaptureLogger();
  const clock = new FakeClock();
  const store = new EncryptedStore({
    store: new SqliteStore({ directory, logger }),
    prefixes: SEALED_PREFIXES,
    keyFile,
    clock,
    logger,
  });
  const stop = new AbortController();
  const run = store.run(stop.signal);
  await Promise.race([store.ready(), run]);
  return {
    store,
    async settle(isSettled) {
      while (!isSettled(await surveyDirectory(directory, SEALED_PREFIXES))) await clock.step(1000);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

describe("a store from before encryption", () => {
  it("is encrypted, and after the past is forgotten a backup has nothing in clear", async () => {
    using dir = tempDir();
    const [directory, keyFile] = [dir.join("store"), dir.join("encryption.key")];
    {
      await using before = await openStore(directory);
      await mustWrite(before.store.create(KEY, bytes(MARKER)));
    }
    await using server = await start(directory, keyFile);
    await server.settle(({ inClear }) => inClear === 0);
    assert.equal(text((await server.store.get(KEY)).item?.value), MARKER);
    await backupDirectory(directory, { file: dir.join("early") });
    assert.ok(readFileSync(dir.join("early")).includes(MARKER), "the past is in it");

    await server.store.compact(await server.store.revision());
    await server.settle(({ record }) => record?.sealed.length === SEALED_PREFIXES.length);

    await backupDirectory(directory, { file: dir.join("backup") });
    assert.equal(readFileSync(dir.join("backup")).includes(MARKER), false);
  });
});

describe("driftless encryption prune", () => {
  it("removes a key when nothing needs it any more, beside a running server, and not before", async () => {
    using dir = tempDir();
    const [directory, keyFile] = [dir.join("store"), dir.join("encryption.key")];
    const prune = ["encryption", "prune", "--data-dir", dir.path];
    await using server = await start(directory, keyFile);
    await mustWrite(server.store.create(KEY, bytes(MARKER)));
    const [old] = readKeyFile(keyFile) ?? [];
    const [now] = changeKeyFile(keyFile, (keys) => [EncryptionKey.generate(), ...keys]);
    await server.settle(({ byKey }) => byKey.get(now.id) === 1);
    assert.match((await driftless(...prune)).output, /there is no key to remove/);
    assert.equal(readKeyFile(keyFile)?.length, 2);

    await server.store.compact(await server.store.revision());
    await server.settle(({ record }) => record?.keys.length === 1);
    const { output } = await driftless(...prune);

    assert.match(output, new RegExp(`removed ${old?.id}`));
    assert.deepEqual(
      readKeyFile(keyFile)?.map(({ id }) => id),
      [now.id],
    );
    assert.equal(text((await server.store.get(KEY)).item?.value), MARKER);
  });
});
