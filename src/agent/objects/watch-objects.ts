// The strategy Watch: one watch for each object that somebody refers to, from the first reference to the last. Changes are told
// in the turn in which they arrive. Better than the kubelet: a pod never starts with less than the server had when it came
// here, an immutable object that is made anew is noticed at once, and it is known how long the server has not been heard.

import type { Pod } from "../../api/types.ts";
import { untilAborted } from "../../base/abort.ts";
import { type ConfigObject, type ObjectReference, referenceKey } from "./config-object.ts";
import type { FollowerParts } from "./object-follower.ts";
import { type GetOptions, NotRegisteredError, type ObjectChangeHandler } from "./object-manager.ts";
import type { ObjectMetrics } from "./object-metrics.ts";
import { ObjectNews } from "./object-news.ts";
import { ObjectSource } from "./object-source.ts";
import { Registrations } from "./registrations.ts";
import type { UpkeptObjects } from "./upkept-objects.ts";
import { WatchedObject, type WatchedObjectOwner } from "./watched-object.ts";

export interface WatchObjectsParts extends FollowerParts {
  readonly metrics: ObjectMetrics;
  /**
   * An object that only environments use, and that nobody read for longer, is not watched until somebody does. Those in volumes
   * always are.
   */
  readonly maxIdleMs: number;
}

/** As the kubelet. */
const RECYCLE_MS = 60_000;

export class WatchObjects implements UpkeptObjects, WatchedObjectOwner {
  readonly parts: WatchObjectsParts;
  readonly source: ObjectSource;
  readonly #registrations = new Registrations();
  readonly #news: ObjectNews;
  /** Exactly those that somebody refers to. */
  readonly #objects = new Map<string, WatchedObject>();
  /** In the order in which they became so. */
  readonly #stale = new Set<WatchedObject>();
  readonly #watches = new Set<Promise<void>>();
  readonly #broken = Promise.withResolvers<never>();
  #life: AbortSignal | undefined;

  constructor(parts: WatchObjectsParts) {
    this.parts = parts;
    this.source = new ObjectSource(parts.client, parts.metrics);
    this.#news = new ObjectNews(this.#registrations, parts.logger);
    this.#broken.promise.catch(() => undefined); // Heard by run().
  }

  /** Run it once. */
  async run(signal: AbortSignal): Promise<void> {
    this.#life = signal;
    for (const object of this.#objects.values()) object.start();
    try {
      await Promise.race([this.#recycle(signal), this.#broken.promise]);
    } finally {
      const reason = new DOMException("The agent ends", "AbortError");
      for (const object of this.#objects.values()) object.end(reason);
      await Promise.all(this.#watches);
    }
  }

  get isRunning(): boolean {
    return this.#life !== undefined && !this.#life.aborted;
  }

  register(pod: Pod): void {
    const { added, forgotten } = this.#registrations.register(pod);
    for (const reference of added) this.#add(reference, pod.metadata.uid ?? "");
    this.#forget(forgotten);
  }

  unregister(podUid: string): void {
    for (const reference of this.#registrations.objectsOf(podUid)) {
      this.#objects.get(referenceKey(reference))?.dropPod(podUid);
    }
    this.#forget(this.#registrations.unregister(podUid));
  }

  async get(of: ObjectReference, { podUid, signal }: GetOptions): Promise<ConfigObject> {
    signal.throwIfAborted();
    const object = this.#objects.get(referenceKey(of));
    if (object === undefined) throw new NotRegisteredError(of);
    return object.read(podUid, signal);
  }

  peek(of: ObjectReference): ConfigObject | "unknown" | undefined {
    const object = this.#objects.get(referenceKey(of));
    return object === undefined ? "unknown" : object.current;
  }

  onChange(handler: ObjectChangeHandler): Disposable {
    return this.#news.onChange(handler);
  }

  /** Whatever happens to an object is heard of. */
  recheck(): Promise<void> {
    return Promise.resolve();
  }

  /** Nothing is out of date here for longer than an event takes. */
  invalidate(): void {}

  get oldestStalenessMs(): number {
    const [oldest] = this.#stale;
    return this.#ageMs(oldest);
  }

  /** How long changes of this object could not be heard of. */
  stalenessMs(of: ObjectReference): number {
    return this.#ageMs(this.#objects.get(referenceKey(of)));
  }

  /** For its objects. */
  changed({ reference, current }: WatchedObject): void {
    if (current !== "unknown") this.#news.note(reference, current);
  }

  /** For its objects. */
  begun(watch: Promise<void>): void {
    const { metrics } = this.parts;
    this.#watches.add(watch);
    metrics.watches.set(this.#watches.size);
    const over = (): void => {
      this.#watches.delete(watch);
      metrics.watches.set(this.#watches.size);
    };
    watch.then(over, (err: unknown) => {
      over();
      this.#broken.reject(err);
    });
  }

  /** For its objects. */
  stalenessChanged(object: WatchedObject): void {
    if (object.staleSinceMs === undefined) this.#stale.delete(object);
    else this.#stale.add(object);
    const { metrics, clock } = this.parts;
    const sinceMs = this.#stale.size === 0 ? 0 : clock.now() - this.oldestStalenessMs;
    metrics.staleSince.set(sinceMs / 1000);
  }

  #add(reference: ObjectReference, podUid: string): void {
    const key = referenceKey(reference);
    let object = this.#objects.get(key);
    if (object === undefined) {
      const { kind, namespace, name } = reference;
      object = new WatchedObject({ kind, namespace, name }, this);
      this.#objects.set(key, object);
      object.addPod(podUid);
      object.start();
    } else object.addPod(podUid);
  }

  #forget(references: readonly ObjectReference[]): void {
    for (const reference of references) {
      const key = referenceKey(reference);
      this.#objects.get(key)?.end(new NotRegisteredError(reference));
      this.#objects.delete(key);
      this.#news.forget(reference);
    }
    this.parts.metrics.held(this.#registrations);
  }

  async #recycle(signal: AbortSignal): Promise<void> {
    const { clock, maxIdleMs } = this.parts;
    await untilAborted(signal, async () => {
      for (;;) {
        await clock.sleep(RECYCLE_MS, signal);
        for (const object of this.#objects.values()) {
          const isIdle = clock.monotonicMs() - object.lastReadMs > maxIdleMs;
          if (isIdle && !this.#registrations.isInVolume(object.reference)) object.rest();
        }
      }
    });
  }

  #ageMs(object: WatchedObject | undefined): number {
    const sinceMs = object?.staleSinceMs;
    return sinceMs === undefined ? 0 : this.parts.clock.monotonicMs() - sinceMs;
  }
}
