// The whole log in memory: for tests, for `--store memory`, and as the shortest complete statement of what
// a store is. Nothing survives the process.

import { aborted } from "../../base/abort.ts";
import { firstIndex } from "../../base/bisect.ts";
import { prefixEnd } from "../key-order.ts";
import {
  CompactedError,
  FutureRevisionError,
  type GetResult,
  type RangeQuery,
  type RangeResult,
  type Revision,
  type Store,
  type StoredValue,
  type StoreEvent,
  StoreUnavailableError,
  type WatchBatch,
  type WatchQuery,
  type WriteResult,
} from "../store.ts";
import { WatchHub, type WatchHubOptions } from "../watch-hub.ts";
import { refuseIllFormed } from "../well-formed-key.ts";
import { countBefore, find, insert, type KeyTree, remove, sizeOf, slice } from "./key-tree.ts";

type State = KeyTree<StoredValue>;

/** A write, and the state after it. */
interface Entry {
  readonly event: StoreEvent;
  readonly state: State;
}

export class MemoryStore implements Store {
  /** Every write after #compacted, in order. */
  #log: Entry[] = [];
  /** The state as of #compacted. */
  #base: State;
  readonly #hub: WatchHub;
  #revision: Revision = 0n;
  #compacted: Revision = 0n;
  #isRunning = false;
  readonly #ready = Promise.withResolvers<void>();

  constructor(options: WatchHubOptions = {}) {
    this.#hub = new WatchHub(options);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    this.#ready.resolve();
    await aborted(signal);
    this.#isRunning = false;
    this.#hub.close(notRunning());
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async check(): Promise<void> {
    this.#refuseUnlessRunning();
  }

  async revision(): Promise<Revision> {
    this.#refuseUnlessRunning();
    return this.#revision;
  }

  async get(key: string): Promise<GetResult> {
    refuseIllFormed(key);
    this.#refuseUnlessRunning();
    return { item: find(this.#stateAt(this.#revision), key), revision: this.#revision };
  }

  async range(query: RangeQuery): Promise<RangeResult> {
    refuseIllFormed(query.prefix, query.after);
    this.#refuseUnlessRunning();
    const { prefix, after, limit = Infinity, revision = this.#revision } = query;
    const state = this.#stateAt(revision);
    const end = prefixEnd(prefix);
    const to = end === undefined ? sizeOf(state) : countBefore(state, end);
    // The least key that comes after another is that one with a NUL at its end.
    const next = after === undefined ? 0 : countBefore(state, `${after}\u0000`);
    const from = Math.min(to, Math.max(next, countBefore(state, prefix)));
    const count = Math.min(limit, to - from);
    const items = slice(state, from, from + count);
    return { items, revision, remaining: to - from - count };
  }

  create(key: string, value: Uint8Array): Promise<WriteResult> {
    return this.#write(key, value, undefined);
  }

  update(key: string, value: Uint8Array, expected: Revision): Promise<WriteResult> {
    return this.#write(key, value, expected);
  }

  delete(key: string, expected: Revision): Promise<WriteResult> {
    return this.#write(key, undefined, expected);
  }

  async compact(revision: Revision): Promise<void> {
    this.#refuseUnlessRunning();
    if (revision <= this.#compacted) return;
    this.#base = this.#stateAt(revision);
    this.#log = this.#log.slice(this.#indexAfter(revision));
    this.#compacted = revision;
  }

  async *watch(query: WatchQuery): AsyncGenerator<WatchBatch, void> {
    refuseIllFormed(query.prefix);
    this.#refuseUnlessRunning();
    yield* this.#hub.watch(query, (after) => {
      this.#refuseUnlessKept(after);
      const events = this.#log
        .slice(this.#indexAfter(after))
        .map(({ event }) => event)
        .filter(({ key }) => key.startsWith(query.prefix));
      return { events, revision: this.#revision, hasMore: false };
    });
  }

  async #write(
    key: string,
    value: Uint8Array | undefined,
    expected: Revision | undefined,
  ): Promise<WriteResult> {
    refuseIllFormed(key);
    this.#refuseUnlessRunning();
    const state = this.#stateAt(this.#revision);
    const previous = find(state, key);
    if (previous?.revision !== expected) return { ok: false, current: previous };
    const revision = ++this.#revision;
    if (value === undefined) {
      const event: StoreEvent = { type: "delete", key, revision, value: undefined, previous };
      this.#append({ event, state: remove(state, key) });
    } else {
      const createRevision = previous?.createRevision ?? revision;
      const item = { key, value, revision, createRevision };
      const event: StoreEvent = { type: "put", key, revision, value: item, previous };
      this.#append({ event, state: insert(state, key, item) });
    }
    return { ok: true, revision, previous };
  }

  #append(entry: Entry): void {
    this.#log.push(entry);
    this.#hub.publish([entry.event], entry.event.revision);
  }

  #stateAt(revision: Revision): State {
    this.#refuseUnlessKept(revision);
    const index = this.#indexAfter(revision);
    return index === 0 ? this.#base : this.#log[index - 1]?.state;
  }

  /** Of the first write after a revision. */
  #indexAfter(revision: Revision): number {
    if (revision === this.#revision) return this.#log.length;
    return firstIndex(this.#log, ({ event }) => event.revision > revision);
  }

  #refuseUnlessKept(revision: Revision): void {
    if (revision < this.#compacted) throw new CompactedError(this.#compacted);
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
  }

  #refuseUnlessRunning(): void {
    if (!this.#isRunning) throw notRunning();
  }
}

function notRunning(): StoreUnavailableError {
  return new StoreUnavailableError("Cannot use the store: it is not running");
}
