// All objects of one kind, the recent changes, and who watches them. Everything here happens in one turn of the
// event loop: a watcher that joins sees the state and then every change after it, with no gap between.
//
// A change is dispatched by index: a watcher of one object costs nothing when another changes.

import { firstIndex } from "../../base/bisect.ts";
import { CacheEvent, type EventType } from "./cache-event.ts";
import type { CachedObject } from "./cached-object.ts";
import { SortedKeys } from "./sorted-keys.ts";
import type { Watcher } from "./watcher.ts";

/**
 * Changes that are kept for watchers which resume. Beyond, they list again. 10,000 is what clients that reconnect
 * after a restart of the server need; the bytes are bounded too, because objects can have a megabyte.
 */
const WINDOW_EVENTS = 10_000;
const WINDOW_BYTES = 32 * 1024 * 1024;

/** Keeps something of its own in step with a kind. Called in the turn in which the cache changes; must not throw. */
export interface Follower {
  /** Everything is new; what was known counts no more. */
  reset(objects: Iterable<CachedObject>): void;
  /** Undefined `now`: deleted. Undefined `before`: new. */
  changed(now: CachedObject | undefined, before: CachedObject | undefined): void;
}

export interface KindCacheOptions {
  /** The field by which watchers can be indexed, such as the node of a pod. */
  readonly indexedField?: ((object: CachedObject) => string) | undefined;
  /** Told of events that could not be made for a watcher. */
  readonly onFailure?: (err: unknown) => void;
}

export class KindCache {
  readonly #objects = new Map<string, CachedObject>();
  /** The keys of #objects. */
  readonly #keys = new SortedKeys();
  /** In order; every change after #windowStart. Taken from the front in slices, see #trim. */
  #window: CacheEvent[] = [];
  #windowBytes = 0;
  #windowStart = 0n;
  /** A watcher is in exactly one of the four. */
  readonly #all = new Set<Watcher>();
  readonly #byNamespace = new Map<string, Set<Watcher>>();
  readonly #byObject = new Map<string, Set<Watcher>>();
  readonly #byField = new Map<string, Set<Watcher>>();
  readonly #indexedField: ((object: CachedObject) => string) | undefined;
  readonly #onFailure: ((err: unknown) => void) | undefined;
  readonly #followers: Follower[] = [];
  /** Of the last change of this kind. */
  #changed = 0n;

  constructor(options: KindCacheOptions = {}) {
    this.#indexedField = options.indexedField;
    this.#onFailure = options.onFailure;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The revision of the last change of this kind that the cache has seen. */
  get changedRevision(): bigint {
    return this.#changed;
  }

  get watcherCount(): number {
    const counts = [this.#byNamespace, this.#byObject, this.#byField].flatMap((index) =>
      [...index.values()].map((watchers) => watchers.size),
    );
    return counts.reduce((sum, count) => sum + count, this.#all.size);
  }

  /** From now on; it is reset to what is there already. */
  follow(follower: Follower): void {
    this.#followers.push(follower);
    follower.reset(this.#objects.values());
  }

  /** The state as of a revision, with nothing known of the past. Whoever watched has to list again. */
  reset(objects: Iterable<CachedObject>, revision: bigint): void {
    for (const watcher of this.watchers()) watcher.sink.expire("the watch cache was rebuilt");
    for (const index of [this.#byNamespace, this.#byObject, this.#byField]) index.clear();
    this.#all.clear();
    this.#keys.clear();
    this.#objects.clear();
    for (const object of objects) {
      this.#objects.set(object.key, object);
      this.#keys.insert(object.key);
    }
    this.#window = [];
    this.#windowBytes = 0;
    this.#windowStart = revision;
    this.#changed = revision;
    this.#tellFollowers((follower) => follower.reset(this.#objects.values()));
  }

  put(object: CachedObject): void {
    const previous = this.#objects.get(object.key);
    this.#objects.set(object.key, object);
    if (previous === undefined) this.#keys.insert(object.key);
    this.#happened(previous === undefined ? "ADDED" : "MODIFIED", object, previous);
  }

  /** A key that is not there is ignored: it could not be read either. */
  delete(key: string, revision: bigint): void {
    const previous = this.#objects.get(key);
    if (previous === undefined) return;
    this.#objects.delete(key);
    this.#keys.remove(key);
    this.#happened("DELETED", previous.at(revision), previous);
  }

  get(key: string): CachedObject | undefined {
    return this.#objects.get(key);
  }

  /** In the order of keys. `prefix` is "" or "namespace/". */
  *list(prefix: string, after = ""): Generator<CachedObject> {
    for (const key of this.#keys.from(prefix, after)) {
      const object = this.#objects.get(key);
      if (object !== undefined) yield object;
    }
  }

  /** True if every change after this revision is known. */
  reachesBack(revision: bigint): boolean {
    return revision >= this.#windowStart;
  }

  /** The known changes after this revision. */
  since(revision: bigint): readonly CacheEvent[] {
    return this.#window.slice(firstIndex(this.#window, (event) => event.revision > revision));
  }

  join(watcher: Watcher): void {
    this.#setOf(watcher).add(watcher);
  }

  leave(watcher: Watcher): void {
    const { scope } = watcher;
    this.#setOf(watcher).delete(watcher);
    if (scope.by === "namespace") dropIfEmpty(this.#byNamespace, scope.namespace);
    if (scope.by === "object") dropIfEmpty(this.#byObject, scope.key);
    if (scope.by === "field") dropIfEmpty(this.#byField, scope.value);
  }

  *watchers(): Generator<Watcher> {
    yield* this.#all;
    for (const index of [this.#byNamespace, this.#byObject, this.#byField]) {
      for (const watchers of index.values()) yield* watchers;
    }
  }

  #setOf({ scope }: Watcher): Set<Watcher> {
    switch (scope.by) {
      case "all":
        return this.#all;
      case "namespace":
        return setIn(this.#byNamespace, scope.namespace);
      case "object":
        return setIn(this.#byObject, scope.key);
      case "field":
        return setIn(this.#byField, scope.value);
    }
  }

  #happened(type: EventType, object: CachedObject, previous: CachedObject | undefined): void {
    const event = new CacheEvent({ type, object, previous });
    this.#changed = event.revision;
    const now = type === "DELETED" ? undefined : object;
    this.#tellFollowers((follower) => follower.changed(now, previous));
    this.#window.push(event);
    this.#windowBytes += object.bytes.length;
    this.#trim();
    for (const watchers of this.#interested(event)) {
      for (const watcher of watchers) {
        if (!this.#delivered(watcher, event)) this.leave(watcher);
      }
    }
    event.release();
  }

  /** One that fails does not keep the cache from following the store. */
  #tellFollowers(tell: (follower: Follower) => void): void {
    for (const follower of this.#followers) {
      try {
        tell(follower);
      } catch (err) {
        this.#onFailure?.(err);
      }
    }
  }

  /** A watcher whose event cannot be made is sent away; it must not take the others with it. */
  #delivered(watcher: Watcher, event: CacheEvent): boolean {
    try {
      return watcher.deliver(event);
    } catch (err) {
      this.#onFailure?.(err);
      watcher.sink.expire("an event could not be sent");
      return false;
    }
  }

  *#interested({ object, previous }: CacheEvent): Generator<ReadonlySet<Watcher>> {
    yield this.#all;
    const none: ReadonlySet<Watcher> = new Set();
    yield this.#byObject.get(object.key) ?? none;
    if (this.#byNamespace.size > 0) {
      yield this.#byNamespace.get(object.key.slice(0, object.key.indexOf("/"))) ?? none;
    }
    if (this.#indexedField === undefined || this.#byField.size === 0) return;
    const now = this.#indexedField(object);
    const before = previous === undefined ? now : this.#indexedField(previous);
    yield this.#byField.get(now) ?? none;
    if (before !== now) yield this.#byField.get(before) ?? none;
  }

  /** Forgets the oldest tenth at once, so that the cost per change stays constant. */
  #trim(): void {
    while (this.#window.length > WINDOW_EVENTS || this.#windowBytes > WINDOW_BYTES) {
      const gone = this.#window.splice(0, Math.max(1, Math.ceil(this.#window.length / 10)));
      for (const event of gone) this.#windowBytes -= event.object.bytes.length;
      this.#windowStart = gone.at(-1)?.revision ?? this.#windowStart;
    }
  }
}

function setIn(index: Map<string, Set<Watcher>>, key: string): Set<Watcher> {
  let found = index.get(key);
  if (found === undefined) {
    found = new Set();
    index.set(key, found);
  }
  return found;
}

function dropIfEmpty(index: Map<string, Set<Watcher>>, key: string): void {
  if (index.get(key)?.size === 0) index.delete(key);
}
