// The thread that owns the writing connection. It takes everything that waits on its port into one
// transaction: the more writers there are, the more of them share one fsync, and no timer is needed for it.

import {
  isMainThread,
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from "node:worker_threads";
import { describe } from "../../base/errors.ts";
import { type LockedDatabase, openDataDirectory } from "./data-directory.ts";
import { sqliteCode } from "./database.ts";
import { DatabaseRefusedError } from "./database-refused-error.ts";
import { LogWriter, type Write, type Written } from "./log-writer.ts";
import { buffersOf, PackedReader } from "./packed-bytes.ts";
import { packValues } from "./packed-items.ts";
import {
  MAX_GROUP_BYTES,
  MAX_GROUP_WRITES,
  type WriteRequest,
  type WriterAnswer,
  type WriterRequest,
} from "./protocol.ts";

class WriterThread {
  readonly #port: MessagePort;
  readonly #database: LockedDatabase;
  readonly #log: LogWriter;
  /** How many compact() calls wait until the past is removed. */
  #compactions = 0;
  /** Why a write of the last group, or the last probe, failed. Undefined when all went well. */
  #failure: string | undefined;

  constructor(port: MessagePort, database: LockedDatabase) {
    this.#port = port;
    this.#database = database;
    this.#log = new LogWriter(database.db);
    this.#answer({ kind: "opened", revision: this.#log.revision });
  }

  /**
   * Serves until the port is empty and the past is removed. Between two slices of that, writes have their
   * turn.
   */
  serve(first: WriterRequest | undefined): void {
    for (let next = first; next !== undefined || this.#hasToSweep; ) {
      if (next === undefined) {
        if (!this.#sweep()) return;
        next = this.#receive();
      } else {
        next = this.#handle(next);
      }
    }
  }

  get #hasToSweep(): boolean {
    return this.#database.db.isOpen && this.#log.hasToSweep;
  }

  /** Returns the next request, if one was taken from the port. */
  #handle(request: WriterRequest): WriterRequest | undefined {
    switch (request.kind) {
      case "write":
        return this.#handleWrites(request);
      case "compact":
        this.#compactions++;
        this.#attemptCompaction(() => this.#log.compact(request.revision));
        break;
      case "check":
        this.#check();
        break;
      case "close":
        this.#database.close();
        this.#port.close();
        return undefined;
    }
    return this.#receive();
  }

  #handleWrites(first: WriteRequest): WriterRequest | undefined {
    const writes: Write[] = [];
    let bytes = unpackWrites(first, writes);
    let next = this.#receive();
    while (next?.kind === "write" && writes.length < MAX_GROUP_WRITES && bytes < MAX_GROUP_BYTES) {
      bytes += unpackWrites(next, writes);
      next = this.#receive();
    }
    this.#writeGroup(writes);
    this.#boundLog();
    return next;
  }

  /**
   * On a full disk, each write of a group is tried again alone: one that is too large for the room that is
   * left must not fail the small ones that happened to come with it. Any other failure is not about one
   * write, and trying a broken disk again would only keep all of them waiting.
   */
  #writeGroup(writes: readonly Write[]): void {
    let failure: string | undefined;
    let groups = [writes];
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      try {
        this.#answerWritten(this.#log.write(group));
      } catch (err) {
        if (sqliteCode(err) === "full" && group.length > 1) {
          groups = group.map((write) => [write]);
          continue;
        }
        failure = this.#explain(err);
        this.#answer({ kind: "notWritten", count: group.length, reason: failure });
      }
    }
    this.#setFailure(failure);
  }

  #setFailure(failure: string | undefined): void {
    const isNews = (failure === undefined) !== (this.#failure === undefined);
    this.#failure = failure;
    if (isNews) this.#answer({ kind: "health", failure });
  }

  #boundLog(): void {
    try {
      this.#log.boundLog();
    } catch (err) {
      // No room to copy pages into the database: the writes are safe in the log, and the next to fail says so.
      if (sqliteCode(err) === undefined) throw err;
    }
  }

  #answerWritten(written: readonly Written[]): void {
    const revisions = BigInt64Array.from(written, ({ revision }) => revision);
    const before = packValues(written.map((one) => one.before));
    this.#answer({ kind: "written", revisions, before }, buffersOf(before.chunks));
  }

  #check(): void {
    if (this.#failure !== undefined) {
      try {
        this.#log.probe();
        this.#setFailure(undefined);
      } catch (err) {
        this.#setFailure(this.#explain(err));
      }
    }
    this.#answer({ kind: "checked", failure: this.#failure });
  }

  /** False when it failed. */
  #sweep(): boolean {
    return this.#attemptCompaction(() => this.#log.sweep());
  }

  /** What is not removed now is removed after the next compaction or start. */
  #attemptCompaction(step: () => void): boolean {
    try {
      step();
      if (!this.#log.hasToSweep) this.#answerCompactions(undefined);
      return true;
    } catch (err) {
      this.#answerCompactions(this.#explain(err));
      return false;
    }
  }

  #answerCompactions(failure: string | undefined): void {
    for (; this.#compactions > 0; this.#compactions--) {
      this.#answer({ kind: "compacted", failure });
    }
  }

  /** For people. What SQLite did not throw is a fault of this program, and ends the thread. */
  #explain(err: unknown): string {
    if (sqliteCode(err) === undefined) throw err;
    const file = this.#database.db.location() ?? "";
    const hint = sqliteCode(err) === "full" ? "; make room, and writes will work again" : "";
    return `Cannot write "${file}": ${describe(err)}${hint}`;
  }

  #receive(): WriterRequest | undefined {
    return receiveMessageOnPort(this.#port)?.message as WriterRequest | undefined;
  }

  #answer(answer: WriterAnswer, transfer: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(answer, transfer);
  }
}

/** Returns how many bytes they have. */
function unpackWrites({ keys, numbers, chunks }: WriteRequest, into: Write[]): number {
  const reader = new PackedReader(chunks);
  keys.forEach((key, i) => {
    const length = Number(numbers[i * 2 + 1]);
    const value = length < 0 ? undefined : reader.take(length);
    into.push({ key, value, expected: numbers[i * 2] ?? 0n });
  });
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

function start(port: MessagePort, directory: string): void {
  let thread: WriterThread;
  try {
    thread = new WriterThread(port, openDataDirectory(directory));
  } catch (err) {
    if (!(err instanceof DatabaseRefusedError)) throw err;
    const { reason, file, message } = err;
    port.postMessage({
      kind: "refused",
      refusal: { reason, file, message },
    } satisfies WriterAnswer);
    return;
  }
  port.on("message", (request: WriterRequest) => thread.serve(request));
  thread.serve(undefined);
}

if (!isMainThread && parentPort !== null) {
  start(parentPort, (workerData as { readonly directory: string }).directory);
}
