// Caches as the server has them, filled by hand.

import { kindOf } from "../../../api/kinds.ts";
import type { ApiObject } from "../../../api/object.ts";
import { CachedObject, encodeForStore, ObjectHead } from "../../cache/cached-object.ts";
import { KindCache } from "../../cache/kind-cache.ts";

/** What a cache holds of an object. Says what is missing if the object's kind is not served. */
export function cached(object: ApiObject, revision = 1n): CachedObject {
  const kind = kindOf(object.apiVersion ?? "", object.kind ?? "");
  if (kind === undefined) throw new Error(`Cannot cache ${object.apiVersion} ${object.kind}`);
  const { namespace = "", name = "" } = object.metadata;
  return CachedObject.fromStored({
    key: kind.namespaced ? `${namespace}/${name}` : name,
    value: encodeForStore(kind, object),
    revision,
    head: new ObjectHead(kind),
  });
}

export function cacheOf(...objects: readonly ApiObject[]): KindCache {
  const cache = new KindCache();
  cache.reset(
    objects.map((object) => cached(object)),
    1n,
  );
  return cache;
}
