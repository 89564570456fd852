// The store of one server: a SQLite database in a directory of its own. This side never waits for a disk: one
// thread writes, another reads, and here are only the queues of those who wait for them.

import { aborted } from "../../base/abort.ts";
import type { Logger } from "../../base/logger.ts";
import {
  FutureRevisionError,
  type GetResult,
  type RangeQuery,
  type RangeResult,
  type Revision,
  type Store,
  StoreUnavailableError,
  type WatchBatch,
  type WatchQuery,
  type WriteResult,
} from "../store.ts";
import { WatchHub, type WatchHubOptions } from "../watch-hub.ts";
import { refuseIllFormed } from "../well-formed-key.ts";
import { ABSENT } from "./log-writer.ts";
import { ReadQueue } from "./read-queue.ts";
import { WriteQueue } from "./write-queue.ts";

export interface SqliteStoreOptions extends WatchHubOptions {
  /** Has the database; made if it does not exist. One process at a time can use it. */
  readonly directory: string;
  readonly logger: Logger;
}

interface Queues {
  readonly writes: WriteQueue;
  readonly reads: ReadQueue;
}

export class SqliteStore implements Store {
  readonly #options: SqliteStoreOptions;
  readonly #hub: WatchHub;
  readonly #ready = Promise.withResolvers<void>();
  /** Set only while calls are served. */
  #running: Queues | undefined;
  /** The newest that anybody was told of, by an acknowledgement or by a read. */
  #revision: Revision = 0n;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    this.#hub = new WatchHub(options);
    // run() fails with the same error, and is where it is heard.
    this.#ready.promise.catch(() => undefined);
  }

  /** Rejects with a DatabaseRefusedError when there is a database that must not be used. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { directory, logger } = this.#options;
    const writes = new WriteQueue({
      directory,
      logger,
      publish: (events, revision) => {
        this.#saw(revision);
        this.#hub.publish(events, revision);
      },
    });
    const reads = new ReadQueue(directory);
    try {
      this.#saw(await writes.opened);
      this.#running = { writes, reads };
      logger.info("store opened", { directory, revision: this.#revision });
      this.#ready.resolve();
      await Promise.race([aborted(signal), writes.ended, reads.ended]);
    } catch (err) {
      this.#ready.reject(err);
      throw err;
    } finally {
      this.#running = undefined;
      // The writer last: only then can it empty the write-ahead log. One that has died rejects, and has been
      // heard above.
      await Promise.allSettled([reads.close()]);
      await Promise.allSettled([writes.close()]);
      this.#hub.close(notRunning());
    }
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async check(): Promise<void> {
    await this.#queues().writes.check();
  }

  async revision(): Promise<Revision> {
    this.#queues();
    return this.#revision;
  }

  async get(key: string): Promise<GetResult> {
    refuseIllFormed(key);
    const result = await this.#queues().reads.get(key);
    this.#saw(result.revision);
    return result;
  }

  async range(query: RangeQuery): Promise<RangeResult> {
    refuseIllFormed(query.prefix, query.after);
    const result = await this.#queues().reads.range(query);
    this.#saw(result.revision);
    return result;
  }

  async create(key: string, value: Uint8Array): Promise<WriteResult> {
    return this.#write(key, value, ABSENT);
  }

  async update(key: string, value: Uint8Array, expected: Revision): Promise<WriteResult> {
    return this.#write(key, value, possible(expected));
  }

  async delete(key: string, expected: Revision): Promise<WriteResult> {
    return this.#write(key, undefined, possible(expected));
  }

  async compact(revision: Revision): Promise<void> {
    const { writes } = this.#queues();
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    await writes.compact(revision);
  }

  async *watch(query: WatchQuery): AsyncGenerator<WatchBatch, void> {
    refuseIllFormed(query.prefix);
    const { reads } = this.#queues();
    yield* this.#hub.watch(query, async (after) => {
      const page = await reads.past(query.prefix, after);
      this.#saw(page.revision);
      return page;
    });
  }

  #write(key: string, value: Uint8Array | undefined, expected: Revision): Promise<WriteResult> {
    refuseIllFormed(key);
    return this.#queues().writes.write(key, value, expected);
  }

  #queues(): Queues {
    if (this.#running === undefined) throw notRunning();
    return this.#running;
  }

  /** Reads may see a write before its acknowledgement has come here. */
  #saw(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
  }
}

/**
 * Clients make up revisions. One that cannot be becomes 0, which no key has: in the 64 bits that it gets,
 * it could look like another, or like ABSENT.
 */
function possible(expected: Revision): Revision {
  return expected === BigInt.asUintN(63, expected) ? expected : 0n;
}

function notRunning(): StoreUnavailableError {
  return new StoreUnavailableError("Cannot use the store: it is not running");
}
