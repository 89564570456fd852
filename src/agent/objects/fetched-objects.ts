// The strategy Get: every read asks the server. Nothing is held but which version was told of last.

import { isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import { aborted } from "../../base/abort.ts";
import type { Logger } from "../../base/logger.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { type ConfigObject, type ObjectReference, referenceKey } from "./config-object.ts";
import type { GetOptions, ObjectChangeHandler } from "./object-manager.ts";
import type { ObjectMetrics } from "./object-metrics.ts";
import { ObjectNews } from "./object-news.ts";
import { ObjectSource } from "./object-source.ts";
import { readUnmounted } from "./read-unmounted.ts";
import { Registrations } from "./registrations.ts";
import type { UpkeptObjects } from "./upkept-objects.ts";

export interface FetchedObjectsParts {
  readonly client: ApiClient;
  readonly metrics: ObjectMetrics;
  readonly logger: Logger;
}

export class FetchedObjects implements UpkeptObjects {
  readonly #source: ObjectSource;
  readonly #metrics: ObjectMetrics;
  /** Only to know whom to tell: whoever asks is answered. */
  readonly #registrations = new Registrations();
  readonly #news: ObjectNews;
  #reads = 0;
  /** Of each object, the latest read that was told of: answers may overtake one another. */
  readonly #toldReads = new Map<string, number>();
  readonly oldestStalenessMs = 0;

  constructor({ client, metrics, logger }: FetchedObjectsParts) {
    this.#source = new ObjectSource(client, metrics);
    this.#metrics = metrics;
    this.#news = new ObjectNews(this.#registrations, logger);
  }

  run(signal: AbortSignal): Promise<void> {
    return aborted(signal);
  }

  register(pod: Pod): void {
    this.#forget(this.#registrations.register(pod).forgotten);
  }

  unregister(podUid: string): void {
    this.#forget(this.#registrations.unregister(podUid));
  }

  async get(of: ObjectReference, { signal }: GetOptions): Promise<ConfigObject> {
    const read = ++this.#reads;
    try {
      const object = await this.#source.get(of, { signal });
      this.#note(of, object, read);
      return object;
    } catch (err) {
      if (isNotFound(err)) this.#note(of, undefined, read);
      throw err;
    }
  }

  /** Nothing is known without asking. */
  peek(): "unknown" {
    return "unknown";
  }

  onChange(handler: ObjectChangeHandler): Disposable {
    return this.#news.onChange(handler);
  }

  /** Every read is a check, so what nobody reads is. */
  async recheck(signal: AbortSignal): Promise<void> {
    const get = (of: ObjectReference): Promise<ConfigObject> =>
      this.get(of, { podUid: "", signal });
    await readUnmounted(get, this.#registrations, signal);
  }

  /** Nothing is held that could be out of date. */
  invalidate(): void {}

  #note(of: ObjectReference, object: ConfigObject | undefined, read: number): void {
    if (this.#registrations.references(of) === 0) return;
    const key = referenceKey(of);
    if (read < (this.#toldReads.get(key) ?? 0)) return;
    this.#toldReads.set(key, read);
    this.#news.note(of, object);
  }

  #forget(references: readonly ObjectReference[]): void {
    for (const reference of references) {
      this.#toldReads.delete(referenceKey(reference));
      this.#news.forget(reference);
    }
    this.#metrics.held(this.#registrations);
  }
}
