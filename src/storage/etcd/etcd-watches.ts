// The watches of one store. All share one feed of everything, so that etcd sends each event once, and
// progress is the same for all. Who asks for a past that the feed did not see reads it with a feed of its own.

import { aborted, linkSignals } from "../../base/abort.ts";
import type { Revision, StoreEvent, WatchBatch, WatchQuery } from "../store.ts";
import { StoreUnavailableError } from "../store.ts";
import { type PastPage, sizeOf, WatchHub } from "../watch-hub.ts";
import { TouchPace } from "./touch-pace.ts";
import { WatchFeed, type WatchFeedOptions } from "./watch-feed.ts";

export interface EtcdWatchesOptions
  extends Omit<WatchFeedOptions, "after" | "onEvents" | "provePast" | "pace"> {
  /** The store's revision. Throws CompactedError or FutureRevisionError if nothing can be read after `after`. */
  readonly probe: (after: Revision) => Promise<Revision>;
  readonly maxPendingEvents?: number;
}

/** A feed with its watchers. It ends with the last of them. */
interface Live {
  readonly feed: WatchFeed;
  readonly hub: WatchHub;
  readonly stop: AbortController;
  watchers: number;
}

/** A page of the past: etcd reads so many revisions at a time itself. The last answer may go beyond both. */
const pageEvents = 1000;
const pageBytes = 4 * 2 ** 20;
/**
 * How often a quiet feed is brought up to date. Its place would otherwise be compacted away while others
 * write to the same etcd, and it could not go on after an interruption.
 */
const refreshMs = 60_000;

export class EtcdWatches {
  readonly #options: EtcdWatchesOptions;
  /** Aborts at the end of the store. */
  readonly #signal: AbortSignal;
  readonly #pace: TouchPace;
  #live: Live | undefined;
  /** The newest revision that anybody was told. */
  #wanted: Revision = 0n;
  readonly #running = new Set<Promise<void>>();

  constructor(options: EtcdWatchesOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#pace = new TouchPace(options);
  }

  /** Watches are to reach this revision soon: a reader may wait for it. */
  want(revision: Revision): void {
    if (revision > this.#wanted) this.#wanted = revision;
    this.#live?.feed.want(revision);
  }

  async *watch(query: WatchQuery): AsyncGenerator<WatchBatch, void> {
    const { after, signal } = query;
    if (signal.aborted) return;
    const current = await this.#options.probe(after);
    if (this.#signal.aborted) throw stopped();
    const live = this.#join(current);
    try {
      yield* live.hub.watch(query, (reached) => this.#readPast(live, reached, query));
    } finally {
      this.#leave(live);
    }
  }

  /** Resolves when all feeds have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** The past of the first watcher too is read page by page, as it takes them: the feed starts now. */
  #join(current: Revision): Live {
    const live = this.#live ?? this.#start(current);
    live.watchers++;
    return live;
  }

  #leave(live: Live): void {
    live.watchers--;
    if (live.watchers === 0) this.#end(live);
  }

  #start(after: Revision): Live {
    const hub = new WatchHub(
      this.#options.maxPendingEvents === undefined
        ? {}
        : { maxPendingEvents: this.#options.maxPendingEvents },
    );
    const feed = this.#feed(after, (events, revision) => hub.publish(events, revision));
    const live: Live = { feed, hub, stop: new AbortController(), watchers: 0 };
    this.#live = live;
    this.#track(this.#run(live));
    this.#track(this.#refresh(live));
    return live;
  }

  #end(live: Live): void {
    live.stop.abort();
    if (this.#live === live) this.#live = undefined;
  }

  async #run(live: Live): Promise<void> {
    using link = linkSignals(this.#signal, live.stop.signal);
    // Waiting watches must not outlive the store, whatever the feed is busy with.
    const onStop = aborted(link.signal).then(() => live.hub.close(stopped()));
    try {
      live.feed.want(this.#wanted);
      await live.feed.run(link.signal);
    } catch (err) {
      live.hub.close(err as Error);
    } finally {
      this.#end(live);
      await onStop;
    }
  }

  async #refresh(live: Live): Promise<void> {
    const { clock, logger, probe } = this.#options;
    using link = linkSignals(this.#signal, live.stop.signal);
    for (let seen = live.feed.reached; !link.signal.aborted; seen = live.feed.reached) {
      try {
        await clock.sleep(refreshMs, link.signal);
        if (live.feed.reached === seen) this.want(await probe(seen));
      } catch (err) {
        if (link.signal.aborted) return;
        logger.debug("etcd watch not refreshed", { revision: seen, err });
      }
    }
  }

  /** See WatchHub.watch: everything that the feed has published by now must be in it. */
  async #readPast(live: Live, after: Revision, { prefix, signal }: WatchQuery): Promise<PastPage> {
    const { quietSince, reached } = live.feed;
    if (after >= quietSince) {
      return { events: [], revision: after > reached ? after : reached, hasMore: false };
    }
    const events: StoreEvent[] = [];
    let revision = after;
    let bytes = 0;
    using stop = linkSignals(signal, this.#signal, live.stop.signal);
    const full = new AbortController();
    const feed = this.#feed(after, (more, to) => {
      for (const event of more) {
        if (!event.key.startsWith(prefix)) continue;
        events.push(event);
        bytes += sizeOf(event);
      }
      revision = to;
      const isFull = events.length >= pageEvents || bytes >= pageBytes;
      if (revision >= quietSince || isFull) full.abort();
    });
    feed.want(quietSince);
    using until = linkSignals(stop.signal, full.signal);
    await feed.run(until.signal);
    // If it was stopped, the hub says why.
    return { events, revision, hasMore: revision < quietSince && !stop.signal.aborted };
  }

  #feed(after: Revision, onEvents: WatchFeedOptions["onEvents"]): WatchFeed {
    const { probe } = this.#options;
    const provePast = async (start: Revision): Promise<void> => void (await probe(start));
    return new WatchFeed({ ...this.#options, pace: this.#pace, after, onEvents, provePast });
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}

function stopped(): StoreUnavailableError {
  return new StoreUnavailableError("Cannot watch: the store was stopped");
}
