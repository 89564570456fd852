// What is served: every kind with its strategy and its cache; the kinds that are only questions; and the views.

import type { Kind } from "../../api/kind.ts";
import { ObjectHead } from "../cache/cached-object.ts";
import { KindCache } from "../cache/kind-cache.ts";
import type { CachedKind, WatchCache } from "../cache/watch-cache.ts";
import type { HealthCheck } from "../health.ts";
import { componentResource } from "./component-status.ts";
import { eventsView } from "./events-view.ts";
import { type Resource, storePrefix } from "./resource.ts";
import type { Strategy } from "./strategy.ts";

export interface ResourcesOptions {
  readonly kinds: readonly Kind[];
  readonly strategies: readonly Strategy[];
  readonly storages: ReadonlyMap<Strategy, CachedKind>;
  readonly cache: WatchCache;
  /** What ComponentStatuses show. */
  readonly checks: readonly HealthCheck[];
}

/** By "group/version/resource". */
export function resources(options: ResourcesOptions): ReadonlyMap<string, Resource> {
  const { kinds, strategies, storages, cache, checks } = options;
  const byKind = new Map(strategies.map((strategy) => [strategy.kind, strategy]));
  return new Map(
    kinds.map((kind) => {
      const strategy = byKind.get(kind);
      const storage = strategy && storages.get(strategy);
      const resource =
        strategy === undefined || storage === undefined
          ? unstored(kind, checks)
          : stored({ kind, strategy, storage, cache });
      return [`${kind.group}/${kind.version}/${kind.resource}`, resource];
    }),
  );
}

function stored(options: {
  readonly kind: Kind;
  readonly strategy: Strategy;
  readonly storage: CachedKind;
  readonly cache: WatchCache;
}): Resource {
  const { kind, strategy, storage, cache } = options;
  const view = eventsView(kind);
  return {
    kind,
    strategy,
    storage,
    storedKind: view?.storedKind ?? kind,
    cache: cache.kind(storage.prefix),
    view,
  };
}

function unstored(kind: Kind, checks: readonly HealthCheck[]): Resource {
  return kind.resource === "componentstatuses" ? componentResource(kind, checks) : question(kind);
}

/** Nothing of it is ever stored. */
function question(kind: Kind): Resource {
  return {
    kind,
    strategy: { kind, validate: () => [], validateUpdate: () => [] },
    storage: { prefix: storePrefix(kind), head: new ObjectHead(kind) },
    storedKind: kind,
    cache: new KindCache(),
    view: undefined,
  };
}
