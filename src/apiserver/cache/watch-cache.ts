// The whole store in memory, kind by kind, fed by one watch. Reads and watches are served from here; the store is
// asked only for its revision, which tells whether the cache is as new as a reader may demand.
//
//   loading ── range, as of a recent revision ──► following ── batches of the watch ──► following
//      ▲                                             │
//      └── the past was compacted ───────────────────┤
//                                                    └── the store is away: wait, then watch on from where we were

import { isAbort } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import {
  CompactedError,
  type RangeResult,
  type Store,
  type StoredValue,
  type StoreEvent,
} from "../../storage/store.ts";
import { CachedObject, type ObjectHead } from "./cached-object.ts";
import { KindCache } from "./kind-cache.ts";

/**
 * How far back the cache starts, so that clients which were watching before a restart find their place. In
 * revisions of the store; no more than a kind's window holds.
 */
const REVISIONS_BEFORE_START = 5000n;

/** Often enough that a client which reconnects does not ask for what is compacted. */
const BOOKMARK_PERIOD_MS = 60_000;
/** How often it is looked whose turn it is. */
const BOOKMARK_TICK_MS = 5000;

export interface CachedKind {
  /** The store's keys of this kind begin with this: "core/configmaps/". */
  readonly prefix: string;
  readonly head: ObjectHead;
  readonly indexedField?: ((object: CachedObject) => string) | undefined;
}

export interface WatchCacheOptions {
  readonly store: Store;
  readonly kinds: readonly CachedKind[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Waiter {
  readonly revision: bigint;
  readonly resolve: () => void;
}

interface Follower {
  readonly kind: CachedKind;
  readonly cache: KindCache;
}

export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #followers: ReadonlyMap<string, Follower>;
  /** Everything up to here has been applied to the caches. */
  #revision = 0n;
  #isFollowing = false;
  #waiters: Waiter[] = [];
  readonly #ready = Promise.withResolvers<void>();

  constructor(options: WatchCacheOptions) {
    this.#options = options;
    this.#followers = new Map(
      options.kinds.map((kind) => [
        kind.prefix,
        {
          kind,
          cache: new KindCache({
            indexedField: kind.indexedField,
            onFailure: (err) =>
              options.logger.error("cannot send an event", { prefix: kind.prefix, err }),
          }),
        },
      ]),
    );
  }

  get revision(): bigint {
    return this.#revision;
  }

  /** How many wait for a revision. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** Resolves when the caches are filled for the first time. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** False while the store cannot be followed: what is served may be old. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  kind(prefix: string): KindCache {
    const found = this.#followers.get(prefix);
    if (found === undefined) throw new Error(`Cannot serve ${prefix}: it is not cached`);
    return found.cache;
  }

  /** Resolves when the caches hold everything that anybody was told is written, before this call. */
  async fresh(): Promise<void> {
    await this.reached(await this.#options.store.revision());
  }

  /** Resolves when the caches hold everything up to this revision, or the signal says that nobody waits any more. */
  reached(revision: bigint, signal?: AbortSignal): Promise<void> | undefined {
    if (this.#revision >= revision) return undefined;
    return new Promise((resolve) => {
      const waiter = { revision, resolve };
      this.#waiters.push(waiter);
      signal?.addEventListener(
        "abort",
        () => {
          this.#waiters = this.#waiters.filter((other) => other !== waiter);
          resolve();
        },
        { once: true },
      );
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    const backoff = new Backoff({
      baseMs: 50,
      factor: 2,
      maxMs: 2000,
      jitter: 0.5,
      resetAfterMs: 10_000,
      clock,
      random,
    });
    let isLoaded = false;
    while (!signal.aborted) {
      try {
        if (!isLoaded) await this.#load();
        isLoaded = true;
        this.#ready.resolve();
        await this.#follow(signal);
      } catch (err) {
        if (isAbort(err, signal)) break;
        isLoaded &&= !(err instanceof CompactedError);
        logger.warn("cannot follow the store", { err });
        await backoff.wait(signal).catch(() => undefined); // The loop's condition sees the abort.
      } finally {
        this.#isFollowing = false;
      }
    }
    this.endWatches();
  }

  /** Their clients see a clean end and go elsewhere. */
  endWatches(): void {
    for (const { cache } of this.#followers.values()) {
      for (const watcher of cache.watchers()) watcher.sink.end();
    }
  }

  async #load(): Promise<void> {
    const { items, revision } = await this.#snapshot();
    const byKind = Map.groupBy(items, ({ key }) => this.#split(key)?.[0]);
    for (const [prefix, follower] of this.#followers) {
      const objects = (byKind.get(prefix) ?? []).flatMap((item) => this.#decoded(follower, item));
      follower.cache.reset(objects, revision);
    }
    this.#advance(revision);
  }

  /** As far back as is kept, and as is useful. If the past goes away meanwhile, the present will do. */
  async #snapshot(): Promise<RangeResult> {
    const { store } = this.#options;
    const now = await store.revision();
    if (now === 0n) return store.range({ prefix: "" });
    let revision = now > REVISIONS_BEFORE_START ? now - REVISIONS_BEFORE_START : 1n;
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        return await store.range({ prefix: "", revision });
      } catch (err) {
        if (!(err instanceof CompactedError)) throw err;
        revision = err.compacted;
      }
    }
    return store.range({ prefix: "" });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    using _ = this.#bookmarks();
    for await (const batch of store.watch({ prefix: "", after: this.#revision, signal })) {
      this.#isFollowing = true;
      for (const event of batch.events) this.#apply(event);
      this.#advance(batch.revision);
    }
  }

  #apply(event: StoreEvent): void {
    const [prefix, key] = this.#split(event.key) ?? [];
    const follower = prefix === undefined ? undefined : this.#followers.get(prefix);
    if (follower === undefined || key === undefined) return;
    if (event.value === undefined) {
      follower.cache.delete(key, event.revision);
      return;
    }
    for (const object of this.#decoded(follower, event.value)) follower.cache.put(object);
  }

  /** One object that cannot be read must not take the others with it: it is left out, and the log says so. */
  #decoded({ kind }: Follower, { key, value, revision }: StoredValue): CachedObject[] {
    try {
      const objectKey = key.slice(kind.prefix.length);
      return [CachedObject.fromStored({ key: objectKey, value, revision, head: kind.head })];
    } catch (err) {
      this.#options.logger.error("cannot read a stored object", { key, err });
      return [];
    }
  }

  #advance(revision: bigint): void {
    this.#revision = revision;
    if (this.#waiters.length === 0) return;
    const [ready, waiting] = [[] as Waiter[], [] as Waiter[]];
    for (const waiter of this.#waiters) {
      (waiter.revision <= revision ? ready : waiting).push(waiter);
    }
    this.#waiters = waiting;
    for (const { resolve } of ready) resolve();
  }

  #bookmarks(): Disposable {
    const { clock } = this.#options;
    const send = (): void => {
      for (const { cache } of this.#followers.values()) this.#sendBookmarks(cache);
      timer = clock.schedule(BOOKMARK_TICK_MS, send);
    };
    let timer = clock.schedule(BOOKMARK_TICK_MS, send);
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  #sendBookmarks(cache: KindCache): void {
    const now = this.#options.clock.monotonicMs();
    for (const watcher of cache.watchers()) {
      if (!watcher.bookmarks || now - watcher.markedMs < BOOKMARK_PERIOD_MS) continue;
      watcher.markedMs = now;
      watcher.sink.send(watcher.encoder.bookmark(this.#revision, false));
    }
  }

  /** "core/configmaps/default/a" → ["core/configmaps/", "default/a"] */
  #split(key: string): readonly [string, string] | undefined {
    const end = key.indexOf("/", key.indexOf("/") + 1) + 1;
    return end === 0 ? undefined : [key.slice(0, end), key.slice(end)];
  }
}
