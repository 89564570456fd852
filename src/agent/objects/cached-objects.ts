// The strategy Cache: an object is read when somebody wants it and what is there is older than its time, which the node's
// annotation says. A pod that is new reads the newest; a routine refresh takes what the server has at hand.

import { isNotFound, type StatusError } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import { aborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { Mutex } from "../../base/mutex.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { ConfigObject, type ObjectReference, referenceKey } from "./config-object.ts";
import { type GetOptions, NotRegisteredError, type ObjectChangeHandler } from "./object-manager.ts";
import type { ObjectMetrics } from "./object-metrics.ts";
import { ObjectNews } from "./object-news.ts";
import { ObjectSource } from "./object-source.ts";
import { readUnmounted } from "./read-unmounted.ts";
import { Registrations } from "./registrations.ts";
import type { UpkeptObjects } from "./upkept-objects.ts";

export interface CachedObjectsParts {
  readonly client: ApiClient;
  readonly metrics: ObjectMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Asked at each read. */
  readonly ttlMs: () => number;
}

/** Dropped when a new pod comes: who reads into the old one then changes nothing that others see. */
class Cached {
  readonly mutex = new Mutex();
  /** What the last read that counts has brought; an error says that there is none. */
  found: ConfigObject | StatusError | undefined;
  fetchedAtMs = Number.NEGATIVE_INFINITY;
}

export class CachedObjects implements UpkeptObjects {
  readonly #parts: CachedObjectsParts;
  readonly #source: ObjectSource;
  readonly #registrations = new Registrations();
  readonly #news: ObjectNews;
  /** One for each object that somebody refers to. */
  readonly #cached = new Map<string, Cached>();
  readonly oldestStalenessMs = 0;

  constructor(parts: CachedObjectsParts) {
    this.#parts = parts;
    this.#source = new ObjectSource(parts.client, parts.metrics);
    this.#news = new ObjectNews(this.#registrations, parts.logger);
  }

  run(signal: AbortSignal): Promise<void> {
    return aborted(signal);
  }

  register(pod: Pod): void {
    const { added, forgotten } = this.#registrations.register(pod);
    for (const reference of added) this.#cached.set(referenceKey(reference), new Cached());
    this.#forget(forgotten);
  }

  unregister(podUid: string): void {
    this.#forget(this.#registrations.unregister(podUid));
  }

  async get(of: ObjectReference, { signal }: GetOptions): Promise<ConfigObject> {
    signal.throwIfAborted();
    const cached = this.#cached.get(referenceKey(of));
    if (cached === undefined) throw new NotRegisteredError(of);
    using _lock = await cached.mutex.lock(signal);
    return this.#fresh(cached) ?? (await this.#refreshed(of, cached, signal));
  }

  peek(of: ObjectReference): ConfigObject | "unknown" {
    const cached = this.#cached.get(referenceKey(of));
    return (cached && this.#fresh(cached)) ?? "unknown";
  }

  onChange(handler: ObjectChangeHandler): Disposable {
    return this.#news.onChange(handler);
  }

  /** Every object that somebody reads is read again when its time is over. */
  async recheck(signal: AbortSignal): Promise<void> {
    const get = (of: ObjectReference): Promise<ConfigObject> =>
      this.get(of, { podUid: "", signal });
    await readUnmounted(get, this.#registrations, signal);
  }

  invalidate(podUid: string): void {
    for (const reference of this.#registrations.objectsOf(podUid)) {
      this.#cached.set(referenceKey(reference), new Cached());
    }
  }

  /** An absence never is: whoever waits for an object asks again. */
  #fresh({ found, fetchedAtMs }: Cached): ConfigObject | undefined {
    const isFresh = this.#parts.clock.monotonicMs() < fetchedAtMs + this.#parts.ttlMs();
    return isFresh && found instanceof ConfigObject ? found : undefined;
  }

  async #refreshed(
    of: ObjectReference,
    cached: Cached,
    signal: AbortSignal,
  ): Promise<ConfigObject> {
    const before = cached.found;
    const isRoutine = before instanceof ConfigObject;
    let found: ConfigObject | StatusError;
    try {
      found = await this.#source.get(of, { signal, ...(isRoutine && { resourceVersion: "0" }) });
    } catch (err) {
      signal.throwIfAborted();
      if (isNotFound(err)) found = err;
      else if (before === undefined) throw err;
      // The server is away, or refuses: what there is has to do.
      else return objectOf(before);
    }
    if (isRoutine && found instanceof ConfigObject && isOlder(found, before)) return before;
    cached.found = found;
    cached.fetchedAtMs = this.#parts.clock.monotonicMs();
    this.#note(of, cached);
    return objectOf(found);
  }

  /** Not if it was dropped in the meantime: what follows may be newer, and has perhaps been told. */
  #note(of: ObjectReference, cached: Cached): void {
    if (this.#cached.get(referenceKey(of)) !== cached) return;
    this.#news.note(of, cached.found instanceof ConfigObject ? cached.found : undefined);
  }

  #forget(references: readonly ObjectReference[]): void {
    for (const reference of references) {
      this.#cached.delete(referenceKey(reference));
      this.#news.forget(reference);
    }
    this.#parts.metrics.held(this.#registrations);
  }
}

function objectOf(found: ConfigObject | StatusError): ConfigObject {
  if (found instanceof ConfigObject) return found;
  throw found;
}

/** What is no number counts as 0, in the original as well. */
function isOlder(object: ConfigObject, other: ConfigObject): boolean {
  return versionNumber(object) < versionNumber(other);
}

function versionNumber({ resourceVersion }: ConfigObject): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}
