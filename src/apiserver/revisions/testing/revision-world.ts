// A store, its cache and the kinds whose history is kept, with a keeper that can be stopped and replaced, without a server around them.

import type { ApiObject } from "../../../api/object.ts";
import type { ConfigRevision } from "../../../api/types.ts";
import { createMetrics } from "../../../base/metrics.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import { seededRandom } from "../../../base/testing/seeded-random.ts";
import { MemoryStore } from "../../../storage/memory/memory-store.ts";
import type { Store } from "../../../storage/store.ts";
import { WatchCache } from "../../cache/watch-cache.ts";
import { ObjectStore } from "../../registry/object-store.ts";
import { type Resource, storageOf } from "../../registry/resource.ts";
import { strategies } from "../../registry/strategies.ts";
import { createdBySystem, updatedBySystem } from "../../registry/system-write.ts";
import { RevisionKeeper } from "../revision-keeper.ts";

const RESOURCES = ["configmaps", "secrets", "configrevisions"] as const;
type ResourceName = (typeof RESOURCES)[number];

export interface WorldOptions {
  /** One that runs already, to share it between several. */
  readonly shared?: MemoryStore;
  readonly clock?: FakeClock;
  readonly limit?: number;
  readonly seed?: number;
  /** True if missing: others may write to the store. */
  readonly isShared?: boolean;
  /** In front of the store. */
  readonly wrap?: (store: Store) => Store;
}

export interface PutOptions {
  readonly by?: string;
  readonly resource?: ResourceName;
  readonly metadata?: object;
}

export class RevisionWorld implements AsyncDisposable {
  readonly store: MemoryStore;
  readonly clock: FakeClock;
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly objects: ObjectStore;
  readonly cache: WatchCache;
  readonly #options: WorldOptions;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>[] = [];
  #keeper: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.store = options.shared ?? new MemoryStore();
    this.clock = options.clock ?? new FakeClock();
    if (options.shared === undefined) this.#ended.push(this.store.run(this.#stop.signal));
    const store = options.wrap?.(this.store) ?? this.store;
    const wanted: readonly string[] = RESOURCES;
    const all = strategies().filter(({ kind }) => wanted.includes(kind.resource));
    const storages = new Map(all.map((strategy) => [strategy, storageOf(strategy)]));
    const random = seededRandom(options.seed ?? 1);
    const { clock, logger } = this;
    this.cache = new WatchCache({ store, kinds: [...storages.values()], clock, random, logger });
    this.#resources = new Map(
      [...storages].map(([strategy, storage]): readonly [string, Resource] => {
        const { kind } = strategy;
        const kept = { kind, strategy, storage, storedKind: kind, view: undefined };
        return [kind.resource, { ...kept, cache: this.cache.kind(storage.prefix) }];
      }),
    );
    this.objects = new ObjectStore({ store, cache: this.cache });
    this.#ended.push(this.cache.run(this.#stop.signal));
  }

  /** Starts a keeper; the one before it is gone as in a crash, or has been stopped. */
  async keep(limit: number = this.#options.limit ?? 20): Promise<void> {
    await this.cache.ready();
    const keeper = new RevisionKeeper({
      configMaps: this.resource("configmaps"),
      secrets: this.resource("secrets"),
      revisions: this.resource("configrevisions"),
      objects: this.objects,
      cache: this.cache,
      limit,
      isShared: this.#options.isShared ?? true,
      clock: this.clock,
      random: seededRandom(this.#options.seed ?? 1),
      logger: this.logger,
      metrics: createMetrics(),
    });
    const stop = new AbortController();
    this.#keeper = { stop, ended: keeper.run(stop.signal) };
    await this.clock.step(0);
  }

  async stopKeeper(): Promise<void> {
    this.#keeper?.stop.abort();
    await this.#keeper?.ended;
  }

  resource(name: ResourceName): Resource {
    const found = this.#resources.get(name);
    if (found === undefined) throw new Error(`Cannot find ${name}`);
    return found;
  }

  /** Creates it, or replaces its content, as somebody. */
  async put(
    name: string,
    content: object,
    { by = "alice", resource = "configmaps", metadata = {} }: PutOptions = {},
  ): Promise<void> {
    const of = this.resource(resource);
    const write = { manager: "test", nowMs: this.clock.now() };
    const decide = (current: { readonly object: ApiObject } | undefined) => {
      const live = current?.object;
      const wanted = {
        metadata: { ...(live?.metadata ?? { name, namespace: "n" }), ...metadata },
        ...content,
      };
      const object =
        live === undefined
          ? createdBySystem(of, wanted, write)
          : updatedBySystem(of, { live, wanted }, write);
      return { do: "write", object } as const;
    };
    await this.objects.change(of, `n/${name}`, decide, by);
  }

  async delete(name: string, resource: ResourceName = "configmaps"): Promise<void> {
    await this.objects.change(this.resource(resource), `n/${name}`, () => ({ do: "delete" }));
  }

  /** Of one object, in their order. */
  revisions(name: string, kind = "ConfigMap"): readonly ConfigRevision[] {
    return [...this.resource("configrevisions").cache.list("")]
      .map(({ object }) => object as object as ConfigRevision)
      .filter(({ object }) => object.kind === kind && object.name === name)
      .toSorted((a, b) => a.number - b.number);
  }

  /** "1 alice a=1": what people would look at. */
  told(name: string): readonly string[] {
    return this.revisions(name).map(({ number, author, data }) => {
      const pairs = Object.entries(data ?? {}).map(([key, value]) => `${key}=${value}`);
      return `${number} ${author} ${pairs.join(" ")}`;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#keeper?.stop.abort();
    await this.#keeper?.ended;
    this.#stop.abort();
    await Promise.all(this.#ended);
  }
}
