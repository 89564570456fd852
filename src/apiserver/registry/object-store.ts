// Objects in the store, with the cache in front: the reads of a write come from memory, and the store's revision
// check finds out if they were old. A decision that was made on an old object is made again on the new one, so that
// nobody is refused for what is no longer true.

import type { ApiObject } from "../../api/object.ts";
import { alreadyExists, tooLarge } from "../../api/status-error.ts";
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

export interface ObjectStoreOptions {
  readonly store: Store;
  readonly cache: WatchCache;
}

/** Writers of one object that keep losing against others give up after so many rounds. */
const MAX_ROUNDS = 100;

export class ObjectStore {
  readonly #store: Store;
  readonly #cache: WatchCache;

  constructor({ store, cache }: ObjectStoreOptions) {
    this.#store = store;
    this.#cache = cache;
  }

  /** As new as the store. */
  async get(resource: Resource, key: string): Promise<CachedObject | undefined> {
    await this.#cache.fresh();
    return resource.cache.get(key);
  }

  /** Throws AlreadyExists. */
  async create(resource: Resource, key: string, object: ApiObject): Promise<CachedObject> {
    const value = encoded(resource, object);
    const result = await this.#store.create(resource.storage.prefix + key, value);
    if (!result.ok) throw alreadyExists(named(resource), object.metadata.name ?? "");
    return this.#written({ resource, key, value, object, revision: result.revision });
  }

  /**
   * Looks at the object, decides, and writes; again if somebody else wrote in between. `decide` must not change
   * what it is given, and may be called several times.
   */
  async change(
    resource: Resource,
    key: string,
    decide: (current: CachedObject | undefined) => Change,
  ): Promise<Outcome> {
    let current = resource.cache.get(key);
    // True when `current` came from the store itself, after the request began.
    let isFresh = false;
    for (let round = 0; round < MAX_ROUNDS; round++) {
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
      const outcome = await this.#tryWrite(resource, key, step);
      if ("was" in outcome) return outcome;
      current = this.#cached(resource, outcome.current);
      isFresh = true;
    }
    throw new Error(`Cannot write ${key}: others wrote it ${MAX_ROUNDS} times in between`);
  }

  async #tryWrite(
    resource: Resource,
    key: string,
    step: Exclude<Step, { do: "nothing" }>,
  ): Promise<Outcome | { readonly current: StoredValue | undefined }> {
    const storeKey = resource.storage.prefix + key;
    const { current } = step;
    if (step.do === "delete") {
      const result = await this.#store.delete(storeKey, step.current.revision);
      if (!result.ok) return { current: result.current };
      await this.#cache.reached(result.revision);
      return { object: step.current.at(result.revision), was: "deleted" };
    }
    const { object, value } = step;
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
    readonly revision: bigint;
  }): Promise<CachedObject> {
    const { resource, key, value, object, revision } = options;
    await this.#cache.reached(revision);
    const found = resource.cache.get(key);
    const cached =
      found?.revision === revision
        ? found
        : CachedObject.fromStored({ key, value, revision, head: resource.storage.head });
    object.metadata.resourceVersion = String(revision);
    cached.adopt(object);
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
