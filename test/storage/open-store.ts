// A SQLite store for the time of a test.

import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { SqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import type { StoreEvent } from "../../src/storage/store.ts";

export interface OpenedStore extends AsyncDisposable {
  readonly store: SqliteStore;
  readonly logger: CaptureLogger;
}

/** Rejects as run() does when the directory cannot be used. */
export async function openStore(directory: string): Promise<OpenedStore> {
  const logger = new CaptureLogger();
  const store = new SqliteStore({ directory, logger });
  const stop = new AbortController();
  const run = store.run(stop.signal);
  await Promise.race([store.ready(), run]);
  return {
    store,
    logger,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

/** All events of a store after a revision. */
export async function pastOf(store: SqliteStore, after = 0n): Promise<StoreEvent[]> {
  const now = await store.revision();
  const stop = new AbortController();
  const past: StoreEvent[] = [];
  for await (const { events, revision } of store.watch({
    prefix: "",
    after,
    signal: stop.signal,
  })) {
    past.push(...events);
    if (revision >= now) stop.abort();
  }
  return past;
}
