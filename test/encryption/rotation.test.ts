// A rotation that is killed again and again in its middle, under writers: no acknowledged write is lost, nothing
// becomes unreadable, and in the end everything is under the newest key.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/base/clock.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { EncryptedStore } from "../../src/storage/encryption/encrypted-store.ts";
import { EncryptionKey } from "../../src/storage/encryption/encryption-key.ts";
import {
  changeKeyFile,
  createKeyFile,
  readKeyFile,
} from "../../src/storage/encryption/key-file.ts";
import { surveyDirectory } from "../../src/storage/encryption/survey.ts";
import { SqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { LONG, testSeed } from "../support/campaign.ts";

const CHILD = fileURLToPath(new URL("rotating-child.ts", import.meta.url));
const PREFIX = "core/secrets/";
const KILLS = LONG ? 50 : 6;
/** Until then the child has begun to re-encrypt, and sometimes it is done. */
const MAX_WRITES_PER_ROUND = 1500;

describe("a rotation", () => {
  it(`has every acknowledged write, readable, after each of ${KILLS} kills in its middle`, async (t) => {
    const seed = testSeed();
    t.diagnostic(`seed ${seed}: repeat with npm test -- encryption/rotation --seed ${seed}`);
    const random = seededRandom(seed);
    using dir = tempDir();
    const [directory, keyFile] = [dir.join("store"), dir.join("encryption.key")];
    createKeyFile(keyFile);
    const acknowledged = new Map<string, number>();
    let unfinished = 0;
    for (let round = 0; round < KILLS; round++) {
      changeKeyFile(keyFile, (keys) => [EncryptionKey.generate(), ...keys]);

      const writes = 1 + (random.uint32() % MAX_WRITES_PER_ROUND);
      await writeUntilKilled({ directory, keyFile, writes, acknowledged });

      const { byKey, inClear, damaged } = await surveyDirectory(directory, [PREFIX]);
      assert.deepEqual({ inClear, damaged }, { inClear: 0, damaged: 0 });
      if (byKey.size > 1) unfinished++;
    }
    t.diagnostic(`${unfinished} of ${KILLS} kills came before everything was under the newest key`);

    await using server = await start(directory, keyFile);
    await allUnder(server.store, directory, readKeyFile(keyFile)?.[0].id ?? "");
    const { items } = await server.store.range({ prefix: PREFIX });
    const counts = new Map(
      items.map(({ key, value }) => {
        const { count } = JSON.parse(Buffer.from(value).toString()) as { count: number };
        return [key, count];
      }),
    );
    for (const [key, count] of acknowledged) {
      // One write may have happened without its acknowledgement having been printed, at each kill.
      const has = counts.get(key) ?? 0;
      assert.ok(has >= count && has <= count + KILLS, `${key}: ${count} acknowledged, has ${has}`);
    }
  });
});

async function writeUntilKilled(options: {
  readonly directory: string;
  readonly keyFile: string;
  readonly writes: number;
  readonly acknowledged: Map<string, number>;
}): Promise<void> {
  const { directory, keyFile, writes, acknowledged } = options;
  const child = spawn(process.execPath, [CHILD, directory, keyFile], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let [lines, rest] = [0, ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const whole = (rest + text).split("\n");
    rest = whole.pop() ?? "";
    for (const line of whole) {
      const [key = "", count] = line.split(" ");
      acknowledged.set(key, Number(count));
    }
    lines += whole.length;
    if (lines >= writes) child.kill("SIGKILL");
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  assert.equal(signal, "SIGKILL", "it served until it was killed");
}

async function start(
  directory: string,
  keyFile: string,
): Promise<AsyncDisposable & { readonly store: EncryptedStore }> {
  const logger = new CaptureLogger();
  const inner = new SqliteStore({ directory, logger });
  const store = new EncryptedStore({
    store: inner,
    prefixes: [PREFIX],
    keyFile,
    clock: systemClock,
    logger,
  });
  const stop = new AbortController();
  const run = store.run(stop.signal);
  await Promise.race([store.ready(), run]);
  return {
    store,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

/** Resolves when the writes of the re-encryption have left nothing under another key. */
async function allUnder(store: EncryptedStore, directory: string, id: string): Promise<void> {
  const { signal } = new AbortController();
  const after = await store.revision();
  for await (const _ of store.watch({ prefix: PREFIX, after, signal })) {
    const { byKey } = await surveyDirectory(directory, [PREFIX]);
    if (byKey.size === 1 && byKey.has(id)) return;
  }
}
