// A copy of what a server has of one resource, and news of how it changes. Handlers hear, for each object: added, then
// updates to newer versions, then deleted. An object that was deleted and made anew is deleted and added, never updated; a
// deletion that nobody saw is found when the state comes again.

import type { ApiObject } from "../api/object.ts";
import { AsyncQueue, QueueFullError } from "../base/async-queue.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { type Indexer, InformerStore } from "./informer-store.ts";
import type { ListWatch } from "./list-watch.ts";
import { type ChangeType, keyOf, Reflector, type ReflectorSink } from "./reflector.ts";

export type Change<T> =
  | { readonly type: "added"; readonly object: T }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  | {
      readonly type: "deleted";
      /** The last version that is known. */
      readonly object: T;
      /** Nobody saw it go: there may have been later versions. */
      readonly isFinalStateUnknown: boolean;
    };

/** Called in order, one change after the other. What it throws is logged and keeps nobody else from hearing. */
export type ChangeHandler<T> = (change: Change<T>) => void;

export interface InformerOptions<T> {
  readonly listWatch: ListWatch<T>;
  readonly indexers: Readonly<Record<string, Indexer<T>>>;
  readonly startsWithNewest: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** For `changes()`. */
const MAX_PENDING_CHANGES = 10_000;

export class Informer<T extends ApiObject> {
  readonly #reflector: Reflector<T>;
  readonly #store: InformerStore<T>;
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #logger: Logger;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #failure: unknown;

  constructor({
    listWatch,
    indexers,
    startsWithNewest,
    clock,
    random,
    logger,
  }: InformerOptions<T>) {
    this.#store = new InformerStore(indexers);
    this.#logger = logger.child(listWatch.what);
    const sink: ReflectorSink<T> = {
      replace: (items) => this.#replace(items),
      event: (type, object) => this.#event(type, object),
      held: (key) => this.#store.get(key),
      failed: (err) => {
        this.#failure = err;
      },
    };
    this.#reflector = new Reflector({ listWatch, sink, startsWithNewest, clock, random, logger });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  /** The first state is complete, and handlers have heard of all of it. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Settles when the first state is complete; never rejects. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** What the server last refused with, if it has told of nothing since. */
  get failure(): unknown {
    return this.#failure;
  }

  get lastResourceVersion(): string | undefined {
    return this.#reflector.lastResourceVersion;
  }

  get size(): number {
    return this.#store.size;
  }

  /** "namespace/name", or "name". Shared by all: not to be changed. */
  get(key: string): T | undefined {
    return this.#store.get(key);
  }

  /** In no order. */
  list(): readonly T[] {
    return [...this.#store.values()];
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#store.byIndex(index, value);
  }

  /** It hears at once of what is there, as added. Dispose what comes back to hear no more. */
  onChange(handler: ChangeHandler<T>): Disposable {
    this.#handlers.add(handler);
    for (const object of this.list()) this.#tell(handler, { type: "added", object });
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  /** The same as an iterable. Throws QueueFullError to a reader who falls 10,000 changes behind: begin anew. */
  async *changes(): AsyncGenerator<Change<T>> {
    const queue = new AsyncQueue<Change<T>, "fail">({
      capacity: Math.max(MAX_PENDING_CHANGES, 2 * this.size),
      whenFull: "fail",
    });
    using _handler = this.onChange((change) => {
      try {
        queue.push(change);
      } catch (err) {
        if (err instanceof QueueFullError) queue.abort(err);
      }
    });
    yield* queue;
  }

  #replace(items: readonly T[]): void {
    this.#failure = undefined;
    const missing = new Set(this.#store.keys());
    for (const object of items) {
      missing.delete(keyOf(object));
      this.#put(object);
    }
    for (const key of missing) this.#remove(key, undefined);
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  #event(type: ChangeType, object: T): void {
    this.#failure = undefined;
    if (type === "DELETED") this.#remove(keyOf(object), object);
    else this.#put(object);
  }

  #put(object: T): void {
    const key = keyOf(object);
    let old = this.#store.get(key);
    if (old !== undefined && old.metadata.uid !== object.metadata.uid) {
      this.#remove(key, undefined);
      old = undefined;
    }
    if (old === undefined) {
      this.#store.set(object);
      this.#tellAll({ type: "added", object });
    } else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) {
      this.#store.set(object);
      this.#tellAll({ type: "updated", object, old });
    }
  }

  #remove(key: string, last: T | undefined): void {
    const held = this.#store.get(key);
    if (held === undefined) return;
    this.#store.delete(key);
    const isSeen = last !== undefined && last.metadata.uid === held.metadata.uid;
    const object = isSeen ? last : held;
    this.#tellAll({ type: "deleted", object, isFinalStateUnknown: !isSeen });
  }

  #tellAll(change: Change<T>): void {
    for (const handler of this.#handlers) this.#tell(handler, change);
  }

  #tell(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (err) {
      const { namespace, name } = change.object.metadata;
      this.#logger.error("handler failed", { err, type: change.type, namespace, name });
    }
  }
}
