// Hands the events of a store to its watchers, in order. Each watcher has one pending batch that grows
// until it is taken: a burst costs one wake-up, and a watcher that falls too far behind is told to list
// again. It never slows the others.

import { addAbortListener } from "node:events";
import {
  CompactedError,
  type Revision,
  type StoreEvent,
  type WatchBatch,
  type WatchQuery,
} from "./store.ts";

export interface WatchHubOptions {
  /**
   * Events that may wait for one watcher; with more it is dropped. At 10,000 it is not slow but stuck: the
   * store's log is where the past is kept, not the memory of its watchers.
   */
  readonly maxPendingEvents?: number;
}

const MAX_PENDING_EVENTS = 10_000;
/** The same for bytes: 10,000 events of the largest values would be 60 GiB. */
const MAX_PENDING_BYTES = 64 * 2 ** 20;

/** Some of the past, in order. */
export interface PastPage extends WatchBatch {
  /** There are more events after `revision`. Otherwise it is the store's at the time of the reading. */
  readonly hasMore: boolean;
}

interface Watcher {
  readonly prefix: string;
  /** Not taken yet. Its revision is that of the last publication. */
  pending: { events: StoreEvent[]; bytes: number; revision: Revision } | undefined;
  /** Events up to this revision were dropped because too many were pending. None are added from then on. */
  overrun: Revision | undefined;
  /** Set only while somebody waits for the next batch. */
  wake: (() => void) | undefined;
}

export class WatchHub {
  readonly #maxPendingEvents: number;
  readonly #watchers = new Set<Watcher>();
  /** Why there will be no more events. */
  #closed: Error | undefined;

  constructor({ maxPendingEvents = MAX_PENDING_EVENTS }: WatchHubOptions = {}) {
    this.#maxPendingEvents = maxPendingEvents;
  }

  /** Events of one or more writes, in order. `revision` is the store's after them. */
  publish(events: readonly StoreEvent[], revision: Revision): void {
    for (const watcher of this.#watchers) this.#offer(watcher, events, revision);
  }

  /** Ends all watches with this reason, after what they have not taken yet. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const watcher of this.#watchers) watcher.wake?.();
  }

  /**
   * A watch as the store's contract has it. `readPast` gives what was stored after a revision, page by page;
   * everything that was published before it is called must be in what it reads.
   */
  async *watch(
    { prefix, after, signal }: WatchQuery,
    readPast: (after: Revision) => PastPage | Promise<PastPage>,
  ): AsyncGenerator<WatchBatch, void> {
    if (signal.aborted) return;
    const watcher: Watcher = { prefix, pending: undefined, overrun: undefined, wake: undefined };
    using _abort = addAbortListener(signal, () => watcher.wake?.());
    this.#watchers.add(watcher);
    try {
      let reached = after;
      for (let hasMore = true; hasMore && !signal.aborted; ) {
        // The page will contain what was published until now. The consumer may have spent a long time
        // on the page before, so this also forgives that too much was pending.
        watcher.pending = undefined;
        watcher.overrun = undefined;
        const { events, revision, ...page } = await readPast(reached);
        ({ hasMore } = page);
        reached = revision;
        yield { events, revision };
      }
      while (!signal.aborted) {
        const batch = await this.#take(watcher, signal);
        if (batch === undefined) return;
        // Events may be read from the past before they are published.
        if (batch.revision <= reached) continue;
        const events = batch.events.filter(({ revision }) => revision > reached);
        reached = batch.revision;
        yield { events, revision: reached };
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  #offer(watcher: Watcher, events: readonly StoreEvent[], revision: Revision): void {
    if (watcher.overrun !== undefined) return;
    watcher.pending ??= { events: [], bytes: 0, revision };
    const { pending } = watcher;
    // One publication is always taken, however large: a watcher that keeps up is never dropped.
    if (pending.events.length > this.#maxPendingEvents || pending.bytes > MAX_PENDING_BYTES) {
      watcher.overrun = revision;
      watcher.pending = undefined;
    } else {
      pending.revision = revision;
      for (const event of events) {
        if (!event.key.startsWith(watcher.prefix)) continue;
        pending.events.push(event);
        pending.bytes += sizeOf(event);
      }
    }
    watcher.wake?.();
  }

  /** Undefined when the signal aborts. */
  async #take(watcher: Watcher, signal: AbortSignal): Promise<WatchBatch | undefined> {
    for (;;) {
      const { pending } = watcher;
      if (signal.aborted) return undefined;
      if (pending !== undefined) {
        watcher.pending = undefined;
        return pending;
      }
      if (watcher.overrun !== undefined) throw new CompactedError(watcher.overrun);
      if (this.#closed !== undefined) throw this.#closed;
      await new Promise<void>((resolve) => {
        watcher.wake = resolve;
      });
      watcher.wake = undefined;
    }
  }
}

/** In memory, more or less. */
export function sizeOf({ value, previous }: StoreEvent): number {
  return (value?.value.length ?? 0) + (previous?.value.length ?? 0);
}
