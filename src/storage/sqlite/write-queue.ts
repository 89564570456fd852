// Those who wait for the writer thread. Writes that are asked for in one turn of the event loop go over in one
// message. Its answer makes the events and the results of a whole group at once: watchers are told first, so
// that whoever hears of a write's success finds it published.

import type { Logger } from "../../base/logger.ts";
import {
  type Revision,
  type StoreEvent,
  StoreUnavailableError,
  type WriteResult,
} from "../store.ts";
import { type SizedWrite, WaitingWrites } from "../waiting-writes.ts";
import { DatabaseRefusedError } from "./database-refused-error.ts";
import { packBytes } from "./packed-bytes.ts";
import { ValueReader } from "./packed-items.ts";
import {
  MAX_GROUP_BYTES,
  MAX_GROUP_WRITES,
  type WriterAnswer,
  type WriterRequest,
  type WrittenAnswer,
} from "./protocol.ts";
import { StoreThread } from "./store-thread.ts";

export interface WriteQueueOptions {
  readonly directory: string;
  readonly logger: Logger;
  /** Called with the events of a group, before any of its writes is acknowledged. */
  readonly publish: (events: readonly StoreEvent[], revision: Revision) => void;
}

interface Waiting<T> {
  readonly resolve: (result: T) => void;
  readonly reject: (reason: unknown) => void;
}

interface WaitingWrite extends Waiting<WriteResult>, SizedWrite {
  /** May be ABSENT. */
  readonly expected: Revision;
}

export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #thread: StoreThread<WriterRequest, WriterAnswer>;
  readonly #opened = Promise.withResolvers<Revision>();
  /** Asked for in this turn, not sent yet. */
  #unsent: WaitingWrite[] = [];
  /** Sent, in order. The thread answers in that order. */
  readonly #writes: WaitingWrite[] = [];
  /** Both of these. */
  readonly #waiting = new WaitingWrites();
  readonly #compactions: Waiting<void>[] = [];
  readonly #checks: Waiting<void>[] = [];
  /** Why nothing is answered any more. */
  #stopped: StoreUnavailableError | undefined;
  /** Resolves when the thread has ended after close(); rejects when it ended by itself. */
  readonly ended: Promise<void>;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#opened.promise.catch(() => undefined);
    this.#thread = new StoreThread({
      name: "writer-worker",
      directory: options.directory,
      onAnswer: (answer) => this.#onAnswer(answer),
    });
    this.ended = this.#thread.ended.finally(() => this.#rejectAll());
    this.ended.catch((err: unknown) => this.#opened.reject(err));
  }

  /** The revision that the database is at. Rejects with a DatabaseRefusedError. */
  get opened(): Promise<Revision> {
    return this.#opened.promise;
  }

  /** `expected` may be ABSENT. Without a value, the key is deleted. */
  write(key: string, value: Uint8Array | undefined, expected: Revision): Promise<WriteResult> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    return new Promise((resolve, reject) => {
      this.#waiting.add({ key, value });
      this.#unsent.push({ key, value, expected, resolve, reject });
      // After everything that was set off by the last answer: its callers often write again.
      if (this.#unsent.length === 1) process.nextTick(() => this.#send());
    });
  }

  compact(revision: Revision): Promise<void> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    return new Promise((resolve, reject) => {
      this.#compactions.push({ resolve, reject });
      this.#thread.post({ kind: "compact", revision });
    });
  }

  /** Rejects with the reason when the last write failed and another attempt fails too. */
  check(): Promise<void> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    return new Promise((resolve, reject) => {
      this.#checks.push({ resolve, reject });
      this.#thread.post({ kind: "check" });
    });
  }

  /** Resolves when everything that was asked for before is answered, and the database is closed. */
  async close(): Promise<void> {
    this.#send();
    await this.#thread.close({ kind: "close" });
  }

  #send(): void {
    const unsent = this.#unsent;
    this.#unsent = [];
    for (let from = 0; from < unsent.length; ) {
      const to = groupEnd(unsent, from);
      this.#sendGroup(unsent.slice(from, to));
      from = to;
    }
  }

  #sendGroup(writes: readonly WaitingWrite[]): void {
    const numbers = new BigInt64Array(writes.length * 2);
    const values: Uint8Array[] = [];
    writes.forEach(({ value, expected }, i) => {
      numbers[i * 2] = expected;
      numbers[i * 2 + 1] = BigInt(value?.length ?? -1);
      if (value !== undefined) values.push(value);
    });
    this.#writes.push(...writes);
    const chunks = packBytes(values);
    const keys = writes.map(({ key }) => key);
    this.#thread.post({ kind: "write", keys, numbers, chunks }, chunks);
  }

  #onAnswer(answer: WriterAnswer): void {
    switch (answer.kind) {
      case "opened":
        this.#opened.resolve(answer.revision);
        break;
      case "refused":
        this.#opened.reject(new DatabaseRefusedError(answer.refusal));
        break;
      case "written":
        this.#onWritten(answer);
        break;
      case "notWritten":
        this.#onNotWritten(answer.count, answer.reason);
        break;
      case "health":
        this.#onHealth(answer.failure);
        break;
      case "compacted":
        settle(this.#compactions.shift(), answer.failure);
        break;
      case "checked":
        settle(this.#checks.shift(), answer.failure);
        break;
    }
  }

  #onWritten({ revisions, before }: WrittenAnswer): void {
    const writes = this.#takeSent(revisions.length);
    const reader = new ValueReader(before);
    const events: StoreEvent[] = [];
    const results = writes.map(({ key, value }, i): WriteResult => {
      const previous = reader.next(key);
      const revision = revisions[i] ?? 0n;
      if (revision === 0n) return { ok: false, current: previous };
      const createRevision = previous?.createRevision ?? revision;
      events.push(
        value === undefined
          ? { type: "delete", key, revision, value, previous }
          : {
              type: "put",
              key,
              revision,
              value: { key, value, revision, createRevision },
              previous,
            },
      );
      return { ok: true, revision, previous };
    });
    const last = events.at(-1);
    if (last !== undefined) this.#options.publish(events, last.revision);
    writes.forEach(({ resolve }, i) => {
      resolve(results[i] as WriteResult);
    });
  }

  #onNotWritten(count: number, reason: string): void {
    for (const { reject } of this.#takeSent(count)) {
      reject(new StoreUnavailableError(reason));
    }
  }

  /** The oldest of those that were sent: they wait no more. */
  #takeSent(count: number): WaitingWrite[] {
    const writes = this.#writes.splice(0, count);
    for (const write of writes) this.#waiting.remove(write);
    return writes;
  }

  #onHealth(reason: string | undefined): void {
    const { logger, directory } = this.#options;
    if (reason === undefined) logger.info("writes work again", { directory });
    else logger.error("writes fail", { directory, reason });
  }

  #rejectAll(): void {
    const reason = new StoreUnavailableError(
      "Cannot use the store: it stopped before it answered; a write may or may not have happened",
    );
    this.#stopped = reason;
    const waiting = [this.#unsent, this.#writes, this.#compactions, this.#checks];
    for (const list of waiting) {
      for (const { reject } of list.splice(0)) reject(reason);
    }
  }
}

/** Where a message ends that begins with a write: what comes in one message becomes one transaction. */
function groupEnd(writes: readonly SizedWrite[], from: number): number {
  let bytes = 0;
  let to = from;
  while (to < writes.length && to - from < MAX_GROUP_WRITES && bytes < MAX_GROUP_BYTES) {
    bytes += writes[to]?.value?.length ?? 0;
    to++;
  }
  return to;
}

function settle(waiting: Waiting<void> | undefined, failure: string | undefined): void {
  if (failure === undefined) waiting?.resolve();
  else waiting?.reject(new StoreUnavailableError(failure));
}
