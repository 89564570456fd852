// A real store with a real cache in front, and the kinds that joining is about.

import type { ApiObject } from "../../../api/object.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import { seededRandom } from "../../../base/testing/seeded-random.ts";
import { MemoryStore } from "../../../storage/memory/memory-store.ts";
import { WatchCache } from "../../cache/watch-cache.ts";
import { nodeStrategy } from "../../registry/node.ts";
import { ObjectStore } from "../../registry/object-store.ts";
import { type Resource, storageOf } from "../../registry/resource.ts";
import { secretStrategy } from "../../registry/secret.ts";
import type { Strategy } from "../../registry/strategy.ts";
import { created } from "../../registry/testing/writes.ts";

export interface StoredObjects extends AsyncDisposable {
  readonly objects: ObjectStore;
  readonly secrets: Resource;
  readonly nodes: Resource;
  /** As if a client had created it. */
  create(resource: Resource, object: ApiObject): Promise<void>;
  delete(resource: Resource, key: string): Promise<void>;
}

/** The cache has a clock of its own: its bookmarks would make long steps slow. */
export async function storedObjects(): Promise<StoredObjects> {
  const clock = new FakeClock();
  const store = new MemoryStore();
  const strategies = [secretStrategy, nodeStrategy];
  const storages = new Map(strategies.map((strategy) => [strategy, storageOf(strategy)]));
  const logger = new CaptureLogger();
  const random = seededRandom(1);
  const cache = new WatchCache({ store, kinds: [...storages.values()], clock, random, logger });
  const stop = new AbortController();
  const ended = [store.run(stop.signal), cache.run(stop.signal)];
  await cache.ready();
  const objects = new ObjectStore({ store, cache });
  const resource = (strategy: Strategy): Resource => {
    const storage = storageOf(strategy);
    const { kind } = strategy;
    const view = undefined;
    return { kind, strategy, storage, storedKind: kind, cache: cache.kind(storage.prefix), view };
  };
  return {
    objects,
    secrets: resource(secretStrategy),
    nodes: resource(nodeStrategy),
    async create(of, object) {
      const { name = "", namespace } = object.metadata;
      const key = namespace === undefined ? name : `${namespace}/${name}`;
      await objects.create(of, key, created(object).object);
    },
    async delete(of, key) {
      await objects.change(of, key, () => ({ do: "delete" }));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(ended);
    },
  };
}
