// How many objects there are, by kind and namespace. Follows the caches, so that asking costs nothing; two kinds that
// show the same objects share their numbers.

import type { Kind } from "../../api/kind.ts";
import { qualifiedResource } from "../../api/kind.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { Follower, KindCache } from "../cache/kind-cache.ts";
import type { Resource } from "../registry/resource.ts";

export class ObjectCounts {
  readonly #byKind: ReadonlyMap<string, NamespaceCounts>;

  constructor(resources: Iterable<Pick<Resource, "kind" | "cache">>) {
    const byCache = new Map<KindCache, NamespaceCounts>();
    const byKind = new Map<string, NamespaceCounts>();
    for (const { kind, cache } of resources) {
      let counts = byCache.get(cache);
      if (counts === undefined) {
        counts = new NamespaceCounts();
        byCache.set(cache, counts);
        cache.follow(counts);
      }
      byKind.set(qualifiedResource(kind), counts);
    }
    this.#byKind = byKind;
  }

  /** In the whole server. 0 for kinds that are not counted. */
  inAll(kind: Kind): number {
    return this.#byKind.get(qualifiedResource(kind))?.total ?? 0;
  }

  inNamespace(kind: Kind, namespace: string): number {
    return this.#byKind.get(qualifiedResource(kind))?.in(namespace) ?? 0;
  }
}

class NamespaceCounts implements Follower {
  /** No zeros: it does not grow with namespaces that come and go. */
  readonly #counts = new Map<string, number>();
  total = 0;

  in(namespace: string): number {
    return this.#counts.get(namespace) ?? 0;
  }

  reset(objects: Iterable<CachedObject>): void {
    this.#counts.clear();
    this.total = 0;
    for (const { key } of objects) this.#add(key, 1);
  }

  changed(now: CachedObject | undefined, before: CachedObject | undefined): void {
    if (now !== undefined && before === undefined) this.#add(now.key, 1);
    if (now === undefined && before !== undefined) this.#add(before.key, -1);
  }

  #add(key: string, one: 1 | -1): void {
    this.total += one;
    const slash = key.indexOf("/");
    if (slash === -1) return;
    const namespace = key.slice(0, slash);
    const count = this.in(namespace) + one;
    if (count === 0) this.#counts.delete(namespace);
    else this.#counts.set(namespace, count);
  }
}
