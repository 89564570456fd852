// Those who wait for the reader thread.

import {
  CompactedError,
  FutureRevisionError,
  type GetResult,
  type RangeQuery,
  type RangeResult,
  type Revision,
  StoreUnavailableError,
} from "../store.ts";
import type { PastPage } from "../watch-hub.ts";
import { unpackEvents, unpackItems } from "./packed-items.ts";
import type { ItemsAnswer, PastAnswer, ReaderAnswer, ReaderRequest } from "./protocol.ts";
import { StoreThread } from "./store-thread.ts";

interface WaitingRead {
  readonly resolve: (answer: ReaderAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

export class ReadQueue {
  readonly #thread: StoreThread<ReaderRequest, ReaderAnswer>;
  /** In the order of their requests. The thread answers in that order. */
  readonly #reads: WaitingRead[] = [];
  /** Why nothing is answered any more. */
  #stopped: StoreUnavailableError | undefined;
  /** Resolves when the thread has ended after close(); rejects when it ended by itself. */
  readonly ended: Promise<void>;

  constructor(directory: string) {
    this.#thread = new StoreThread({
      name: "reader-worker",
      directory,
      onAnswer: (answer) => this.#reads.shift()?.resolve(answer),
    });
    this.ended = this.#thread.ended.finally(() => this.#rejectAll());
    this.ended.catch(() => undefined);
  }

  async get(key: string): Promise<GetResult> {
    const { items, revision } = accept(await this.#ask({ kind: "get", key }), "items", 0n);
    return { item: unpackItems(items)[0], revision };
  }

  async range(query: RangeQuery): Promise<RangeResult> {
    const answered = await this.#ask({ kind: "range", query });
    const { items, revision, remaining } = accept(answered, "items", query.revision ?? 0n);
    return { items: unpackItems(items), revision, remaining };
  }

  async past(prefix: string, after: Revision): Promise<PastPage> {
    const answered = await this.#ask({ kind: "past", prefix, after });
    const { events, revision, hasMore } = accept(answered, "past", after);
    return { events: unpackEvents(events), revision, hasMore };
  }

  /** Resolves when everything that was asked before is answered, and the database is closed. */
  async close(): Promise<void> {
    await this.#thread.close({ kind: "close" });
  }

  #ask(request: ReaderRequest): Promise<ReaderAnswer> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    return new Promise((resolve, reject) => {
      this.#reads.push({ resolve, reject });
      this.#thread.post(request);
    });
  }

  #rejectAll(): void {
    const reason = new StoreUnavailableError("Cannot use the store: it stopped before it answered");
    this.#stopped = reason;
    for (const { reject } of this.#reads.splice(0)) reject(reason);
  }
}

interface Answers {
  readonly items: ItemsAnswer;
  readonly past: PastAnswer;
}

/** The answer of the kind that was asked for, or the error that came instead. */
function accept<K extends keyof Answers>(
  answer: ReaderAnswer,
  kind: K,
  asked: Revision,
): Answers[K] {
  switch (answer.kind) {
    case "compacted":
      throw new CompactedError(answer.compacted);
    case "future":
      throw new FutureRevisionError(asked, answer.current);
    case "failed":
      throw new StoreUnavailableError(answer.reason);
    default:
      if (answer.kind !== kind) throw new Error(`Asked for ${kind}, got ${answer.kind}`);
      return answer as Answers[K];
  }
}
