// What is going on for one object: contents that wait for their revision, and how fast revisions may be made of it.

import type { ConfigRevision } from "../../api/types.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import { type PendingContent, PendingContents, type PendingOptions } from "./pending-contents.ts";
import { readRevision } from "./revision-object.ts";

/** An object that uses up its burst within a window is a hot one: then it has to wait, longer each time. */
const WINDOW_MS = 10_000;
const MIN_BURST = 10;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 10_000;

export interface HistoryOptions extends PendingOptions {
  /** Within its kind: "namespace/name". */
  readonly key: string;
  /** What its revisions are found by: "namespace/prefix". */
  readonly group: string;
}

/** As much of a revision as decides whether another one is needed. */
interface RevisionHead {
  readonly uid: string;
  readonly hash: string;
  readonly resourceVersion: bigint;
}

function headOf({ object, hash }: ConfigRevision): RevisionHead {
  const { uid = "", resourceVersion = "" } = object;
  const isNumber = /^\d+$/.test(resourceVersion);
  return { uid, hash, resourceVersion: isNumber ? BigInt(resourceVersion) : 0n };
}

export class ObjectHistory {
  readonly options: HistoryOptions;
  readonly pending: PendingContents;
  /** A pass is under way, or waits for its turn. */
  isBusy = false;
  /** Monotonic: it is a hot one, nothing is made before. */
  pausedUntilMs = 0;
  timer: (Disposable & { readonly dueMs: number }) | undefined;
  #read: { readonly cached: CachedObject; readonly head: RevisionHead } | undefined;
  #windowEndsMs = 0;
  #madeInWindow = 0;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(options: HistoryOptions) {
    this.options = options;
    this.pending = new PendingContents(options);
  }

  /** Monotonic time at which the next revision may be made; undefined if none is called for. */
  dueMs(content: PendingContent | undefined = this.pending.head): number | undefined {
    if (content === undefined) return undefined;
    const leftUntilMs = content.author === undefined ? content.leftUntilMs : 0;
    return Math.max(leftUntilMs, this.pausedUntilMs);
  }

  /** Read once, however often it is asked for: it may be large. */
  read(cached: CachedObject | undefined): RevisionHead | undefined {
    if (cached === undefined) return undefined;
    if (this.#read?.cached !== cached) {
      this.#read = { cached, head: headOf(readRevision(cached)) };
    }
    return this.#read.head;
  }

  /** Spares the reading of one that is known already. */
  knows(cached: CachedObject, revision: ConfigRevision): void {
    this.#read = { cached, head: headOf(revision) };
  }

  /** Counts a revision, and slows down if there are many. */
  made(nowMs: number): void {
    if (nowMs >= this.#windowEndsMs) {
      // Time in which it was made to wait does not count as calm.
      if (nowMs >= this.#windowEndsMs + WINDOW_MS) this.#pauseMs = FIRST_PAUSE_MS;
      this.#windowEndsMs = nowMs + WINDOW_MS;
      this.#madeInWindow = 0;
    }
    this.#madeInWindow++;
    if (this.#madeInWindow < Math.max(MIN_BURST, this.options.limit)) return;
    this.pausedUntilMs = nowMs + this.#pauseMs;
    this.#windowEndsMs = this.pausedUntilMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
  }

  /** For the end: what can be written is written now. */
  hurry(): void {
    this.pausedUntilMs = 0;
  }

  isForgettable(nowMs: number): boolean {
    return !this.isBusy && this.pending.size === 0 && nowMs >= this.#windowEndsMs + WINDOW_MS;
  }

  forget(): void {
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
    this.pending.clear();
  }
}
