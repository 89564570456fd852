// Objects in the store, with the cache in front: the reads of a write come from memory, and the store's revision
// check finds out if they were old. A decision that was made on an old object is made again on the new one, so that
// nobody is refused for what is no longer true.

import type { ApiObject } from "../../api/object.ts";
import { alreadyExists, serviceUnavailable, tooLarge } from "../../api/status-error.ts";
import { Mutex } from "../../base/mutex.ts";
import type { Store, StoredValue, WriteResult } from "../../storage/store.ts";
import { CachedObject, encodeForStore } from "../cache/cached-object.ts";
import type { WatchCache } from "../cache/watch-cache.ts";
import { named, type Resource } from "./resource.ts";

/** What to do with an object after looking at it. */
export type Change =
  | { readonly do: "write"; readonly object: ApiObject }
  | { readonly do: "delete" }
  | { readonly do: "nothing" };

export interface Outcome {
  /** As stored. After a deletion: the last state, with the revision of the deletion. Undefined if there is none. */
  readonly object: CachedObject | undefined;
  readonly was: "created" | "updated" | "deleted" | "unchanged";
}

/** A write that was acknowledged, and that the cache shows. */
export interface Written {
  readonly resource: Resource;
  readonly key: string;
  readonly revision: bigint;
  /** Name of the user who asked for it. */
  readonly by: string;
}

/** Who writes when nobody asked for it. */
const SYSTEM_USER = "system:apiserver";

export interface ObjectStoreOptions {
  readonly store: Store;
  readonly cache: WatchCache;
}

/** Before one asks for a turn: a decision on an old object, and one on the new one. */
const FREE_ROUNDS = 2;
/** Only writers at other servers can make one lose so often: those of this one take turns. The client may try again. */
const MAX_ROUNDS = 1000;

interface Wish {
  readonly resource: Resource;
  readonly key: string;
  readonly decide: (current: CachedObject | undefined) => Change;
  readonly by: string;
}

interface Turns {
  readonly mutex: Mutex;
  /** Those who write, and those who wait. */
  count: number;
}

export class ObjectStore {
  readonly #store: Store;
  readonly #cache: WatchCache;
  readonly #listeners: ((written: Written) => void)[] = [];
  /** Of keys that somebody has lost a write of: from then on one writer at a time, until nobody waits. */
  readonly #turns = new Map<string, Turns>();

  constructor({ store, cache }: ObjectStoreOptions) {
    this.#store = store;
    this.#cache = cache;
  }

  /** Of every write through this store but deletions. Must not throw, and must not take long: the writer waits. */
  onWritten(listener: (written: Written) => void): void {
    this.#listeners.push(listener);
  }

  /** As new as the store. */
  async get(resource: Resource, key: string): Promise<CachedObject | undefined> {
    await this.#cache.fresh();
    return resource.cache.get(key);
  }

  /** Throws AlreadyExists. */
  async create(
    resource: Resource,
    key: string,
    object: ApiObject,
    by: string = SYSTEM_USER,
  ): Promise<CachedObject> {
    const value = encoded(resource, object);
    const result = await this.#store.create(resource.storage.prefix + key, value);
    if (!result.ok) throw alreadyExists(named(resource), object.metadata.name ?? "");
    return this.#written({ resource, key, value, object, by, revision: result.revision });
  }

  /**
   * Looks at the object, decides, and writes; again if somebody else wrote in between. `decide` must not change
   * what it is given, and may be called several times.
   */
  async change(
    resource: Resource,
    key: string,
    decide: (current: CachedObject | undefined) => Change,
    by: string = SYSTEM_USER,
  ): Promise<Outcome> {
    const storeKey = resource.storage.prefix + key;
    const wish = { resource, key, decide, by };
    if (!this.#turns.has(storeKey)) {
      const outcome = await this.#tryOften(wish, FREE_ROUNDS);
      if (outcome !== undefined) return outcome;
    }
    using _ = await this.#turn(storeKey);
    const outcome = await this.#tryOften(wish, MAX_ROUNDS);
    if (outcome !== undefined) return outcome;
    throw serviceUnavailable(`others have written ${key} ${MAX_ROUNDS} times in between`);
  }

  /** Undefined if others were faster each time. */
  async #tryOften(wish: Wish, rounds: number): Promise<Outcome | undefined> {
    const { resource, key, decide, by } = wish;
    let current = resource.cache.get(key);
    // True when `current` came from the store itself, after the request began.
    let isFresh = false;
    for (let round = 0; round < rounds; round++) {
      const step = attempt(() => nextStep(resource, current, decide(current)));
      if (!isFresh && (step instanceof Error || step.do === "nothing")) {
        const fresh = await this.#read(resource, key);
        isFresh = true;
        if (fresh?.revision !== current?.revision) {
          current = fresh;
          continue;
        }
      }
      if (step instanceof Error) throw step;
      if (step.do === "nothing") return { object: current, was: "unchanged" };
      const outcome = await this.#tryWrite(resource, key, { ...step, by });
      if ("was" in outcome) return outcome;
      current = this.#cached(resource, outcome.current);
      isFresh = true;
    }
    return undefined;
  }

  /** Waits for those who came before. */
  async #turn(storeKey: string): Promise<Disposable> {
    const turns = this.#turns.get(storeKey) ?? { mutex: new Mutex(), count: 0 };
    this.#turns.set(storeKey, turns);
    turns.count++;
    const lock = await turns.mutex.lock();
    return {
      [Symbol.dispose]: () => {
        lock[Symbol.dispose]();
        if (--turns.count === 0) this.#turns.delete(storeKey);
      },
    };
  }

  async #tryWrite(
    resource: Resource,
    key: string,
    step: Exclude<Step, { do: "nothing" }> & { readonly by: string },
  ): Promise<Outcome | { readonly current: StoredValue | undefined }> {
    const storeKey = resource.storage.prefix + key;
    const { current } = step;
    if (step.do === "delete") {
      const result = await this.#store.delete(storeKey, step.current.revision);
      if (!result.ok) return { current: result.current };
      await this.#cache.reached(result.revision);
      return { object: step.current.at(result.revision), was: "deleted" };
    }
    const { object, value, by } = step;
    const result: WriteResult =
      current === undefined
        ? await this.#store.create(storeKey, value)
        : await this.#store.update(storeKey, value, current.revision);
    if (!result.ok) return { current: result.current };
    const written = await this.#written({
      resource,
      key,
      value,
      object,
      by,
      revision: result.revision,
    });
    return { object: written, was: current === undefined ? "created" : "updated" };
  }

  /** The writer reads its own write: the cache is as new as it before the answer goes out. */
  async #written(options: {
    readonly resource: Resource;
    readonly key: string;
    readonly value: Buffer;
    readonly object: ApiObject;
    readonly by: string;
    readonly revision: bigint;
  }): Promise<CachedObject> {
    const { resource, key, value, object, by, revision } = options;
    await this.#cache.reached(revision);
    const found = resource.cache.get(key);
    const cached =
      found?.revision === revision
        ? found
        : CachedObject.fromStored({ key, value, revision, head: resource.storage.head });
    object.metadata.resourceVersion = String(revision);
    cached.adopt(object);
    for (const listener of this.#listeners) listener({ resource, key, revision, by });
    return cached;
  }

  async #read(resource: Resource, key: string): Promise<CachedObject | undefined> {
    const { item } = await this.#store.get(resource.storage.prefix + key);
    return this.#cached(resource, item);
  }

  #cached(resource: Resource, item: StoredValue | undefined): CachedObject | undefined {
    if (item === undefined) return undefined;
    const key = item.key.slice(resource.storage.prefix.length);
    const found = resource.cache.get(key);
    if (found?.revision === item.revision) return found;
    const { value, revision } = item;
    return CachedObject.fromStored({ key, value, revision, head: resource.storage.head });
  }
}

/** A change, with what is needed to carry it out. */
type Step =
  | {
      readonly do: "write";
      readonly current: CachedObject | undefined;
      readonly object: ApiObject;
      readonly value: Buffer;
    }
  | { readonly do: "delete"; readonly current: CachedObject }
  | { readonly do: "nothing" };

/** A write of what is there already is nothing: it keeps its resourceVersion, and nobody is woken. */
function nextStep(resource: Resource, current: CachedObject | undefined, change: Change): Step {
  if (change.do === "nothing") return change;
  if (change.do === "delete") {
    return current === undefined ? { do: "nothing" } : { do: "delete", current };
  }
  const value = encoded(resource, change.object);
  if (current?.hasContent(value) === true) return { do: "nothing" };
  return { do: "write", current, object: change.object, value };
}

/** As much as a body may have. Patches could let an object grow without end. */
const MAX_OBJECT_BYTES = 3 * 1024 * 1024;

function encoded(resource: Resource, object: ApiObject): Buffer {
  const value = encodeForStore(resource.storedKind, object);
  if (value.length > MAX_OBJECT_BYTES) throw tooLarge(MAX_OBJECT_BYTES);
  return value;
}

function attempt(decide: () => Step): Step | Error {
  try {
    return decide();
  } catch (err) {
    return err instanceof Error ? err : new Error(String(err), { cause: err });
  }
}
