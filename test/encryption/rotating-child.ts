// A server that counts up values below an encrypted prefix as fast as it can until it is killed, while it re-encrypts
// what an older key has sealed. Every acknowledgement is printed after it has come: `KEY COUNT`.
//
//   node rotating-child.ts DIRECTORY KEY_FILE

import { systemClock } from "../../src/base/clock.ts";
import { createLogger } from "../../src/base/logger.ts";
import { EncryptedStore } from "../../src/storage/encryption/encrypted-store.ts";
import { SqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";

const WRITERS = 8;
const KEYS_PER_WRITER = 5;
/** Only re-encrypted: so that this takes a while. */
const RESTING_KEYS = 300;

const PREFIX = "core/secrets/";

const [, , directory = "", keyFile = ""] = process.argv;
const logger = createLogger({ level: "error", destination: process.stderr });
const store = new EncryptedStore({
  store: new SqliteStore({ directory, logger }),
  prefixes: [PREFIX],
  keyFile,
  clock: systemClock,
  logger,
});
const run = store.run(new AbortController().signal);
await Promise.race([store.ready(), run]);
const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
await Promise.race([run, rest(), ...writers]);

async function rest(): Promise<void> {
  for (let i = 0; i < RESTING_KEYS; i++) {
    const key = `${PREFIX}resting/${i}`;
    const { ok } = await store.create(key, countOf(1));
    if (ok) process.stdout.write(`${key} 1\n`);
  }
  await run;
}

async function write(writer: number): Promise<void> {
  for (let i = 0; ; i++) {
    const key = `${PREFIX}${writer}/${i % KEYS_PER_WRITER}`;
    const { item } = await store.get(key);
    const count = item === undefined ? 1 : read(item.value) + 1;
    const result =
      item === undefined
        ? await store.create(key, countOf(count))
        : await store.update(key, countOf(count), item.revision);
    // The re-encryption may have been faster: then again, and nothing is counted.
    if (result.ok) process.stdout.write(`${key} ${count}\n`);
  }
}

function countOf(count: number): Uint8Array {
  return Buffer.from(`{"count":${count}}`);
}

function read(value: Uint8Array): number {
  return (JSON.parse(Buffer.from(value).toString()) as { count: number }).count;
}
