// THE contract of storage: one ordered, revisioned log of keys and values. Everything that the product
// knows of stores is on this page; `testing/store-contract.ts` is its specification, and every
// implementation passes it.
//
// Revisions are one strictly increasing sequence for the whole store, as in etcd. Every successful write
// takes the next one (or a later one), and no reader ever sees revision N before everything up to N.

/** A revision. Never a `number`: etcd's are 64 bits wide. */
export type Revision = bigint;

/** Bytes of values are shared and never change: not after they were given, not after they were received. */
export interface StoredValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Of the write that made this value. */
  readonly revision: Revision;
  /** Of the write that made the key, since it last did not exist. */
  readonly createRevision: Revision;
}

/** A write happened, or it did not because the key was not as expected: then `current` says how it is. */
export type WriteResult =
  | { readonly ok: true; readonly revision: Revision; readonly previous: StoredValue | undefined }
  | { readonly ok: false; readonly current: StoredValue | undefined };

export interface GetResult {
  readonly item: StoredValue | undefined;
  /** Of the whole store when this was read. */
  readonly revision: Revision;
}

export interface RangeQuery {
  /** Keys that begin with this; "" for all. */
  readonly prefix: string;
  /** Only keys that come after this one, for the next page. */
  readonly after?: string;
  /** At most so many, and at least one. Default: all. */
  readonly limit?: number;
  /** As of this revision. Default: now. Throws CompactedError or FutureRevisionError. */
  readonly revision?: Revision;
}

export interface RangeResult {
  /** Ordered by key, bytewise. */
  readonly items: readonly StoredValue[];
  /** Of the whole store, or the one that was asked for. */
  readonly revision: Revision;
  /** Matching keys that come after the last item. */
  readonly remaining: number;
}

export interface StoreEvent {
  readonly type: "put" | "delete";
  readonly key: string;
  readonly revision: Revision;
  /** Undefined for a delete. */
  readonly value: StoredValue | undefined;
  /** What the event replaced or deleted. Undefined when it created the key. */
  readonly previous: StoredValue | undefined;
}

/** Events in order, and how far they reach: there is none up to `revision` that was not delivered. */
export interface WatchBatch {
  readonly events: readonly StoreEvent[];
  readonly revision: Revision;
}

export interface WatchQuery {
  readonly prefix: string;
  /** Events with a greater revision are delivered: those of the past first, without a gap. */
  readonly after: Revision;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

export interface Store {
  /**
   * The revision of the newest write that was acknowledged to anybody, before this call. A reader that has
   * seen everything up to it reads as if it had asked the store itself.
   */
  revision(): Promise<Revision>;
  get(key: string): Promise<GetResult>;
  range(query: RangeQuery): Promise<RangeResult>;
  /** Writes a key that does not exist. */
  create(key: string, value: Uint8Array): Promise<WriteResult>;
  /** Writes a key whose value has this revision. */
  update(key: string, value: Uint8Array, expected: Revision): Promise<WriteResult>;
  /** Deletes a key whose value has this revision. */
  delete(key: string, expected: Revision): Promise<WriteResult>;
  /**
   * Ordered, unique, without gaps, each event with the value before it. One who has seen everything is told
   * so, by an empty batch if need be. Throws CompactedError when the past is gone, at the start or because the
   * consumer fell too far behind: list again then. Throws FutureRevisionError as range() does.
   */
  watch(query: WatchQuery): AsyncIterable<WatchBatch>;
  /**
   * Forgets the past up to and including this revision; the state as of it stays. Does nothing when that is
   * done already; throws FutureRevisionError.
   */
  compact(revision: Revision): Promise<void>;
  /** Resolves if writes can be expected to succeed now; otherwise StoreUnavailableError says why not. */
  check(): Promise<void>;
  /** Serves until the signal aborts. Calls before and after are refused with StoreUnavailableError. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when calls are served. */
  ready(): Promise<void>;
}

/** The past that was asked for is gone. `compacted` is the last revision that is. */
export class CompactedError extends Error {
  override readonly name = "CompactedError";
  readonly compacted: Revision;

  constructor(compacted: Revision) {
    super(`Cannot read the past up to revision ${compacted}: it was compacted; list again`);
    this.compacted = compacted;
  }
}

/** A revision that has not happened yet. */
export class FutureRevisionError extends Error {
  override readonly name = "FutureRevisionError";
  readonly current: Revision;

  constructor(asked: Revision, current: Revision) {
    super(`Cannot read revision ${asked}: the store is at ${current}`);
    this.current = current;
  }
}

/** The store cannot do it now: not running, disk full, no leader. A write may or may not have happened. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}
