// A server that writes as fast as it can until it is killed. Every acknowledgement is printed
// after it has come: `KEY COUNT REVISION`. What was printed must be there afterwards.
//
//   node writing-child.ts DIRECTORY [compact]

import { createLogger } from "../../src/base/logger.ts";
import { SqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { countedValue, countOf } from "./counted-value.ts";

const WRITERS = 24;
/** Of each writer. Each is deleted sometimes, so that keys also begin again. */
const KEYS = 5;

/** So many writes are forgotten at a time, if any: writes go on meanwhile, and after it must be as safe as before. */
const WRITES_PER_COMPACTION = 500n;

const [, , directory = "", compacts] = process.argv;
const logger = createLogger({ level: "error", destination: process.stderr });
const store = new SqliteStore({ directory, logger });
const { signal } = new AbortController();
const run = store.run(signal);
await store.ready();
const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
if (compacts === "compact") writers.push(compact());
await Promise.race([run, ...writers]);

async function compact(): Promise<void> {
  const { signal: never } = new AbortController();
  let compacted = await store.revision();
  for await (const { revision } of store.watch({ prefix: "", after: compacted, signal: never })) {
    if (revision - compacted < WRITES_PER_COMPACTION) continue;
    await store.compact(revision);
    compacted = revision;
  }
}

async function write(writer: number): Promise<void> {
  for (let i = 0; ; i++) {
    const key = `/${writer}/${i % KEYS}`;
    const { item } = await store.get(key);
    const count = (item === undefined ? 0 : countOf(item)) + 1;
    const value = countedValue(key, count);
    const result =
      item === undefined
        ? await store.create(key, value)
        : count % 7 === 0
          ? await store.delete(key, item.revision)
          : await store.update(key, value, item.revision);
    if (!result.ok) throw new Error(`Nobody else writes ${key}`);
    process.stdout.write(`${key} ${count} ${result.revision}\n`);
  }
}
