// A kind as it is served: where its objects are, and what is particular to it.

import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Named } from "../../api/status-error.ts";
import { type CachedObject, ObjectHead } from "../cache/cached-object.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import type { CachedKind } from "../cache/watch-cache.ts";
import { eventsView } from "./events-view.ts";
import type { Strategy } from "./strategy.ts";

/** A kind that shows the objects of another one in its own form, such as events.k8s.io the core events. */
export interface View {
  readonly storedKind: Kind;
  fromStored(object: ApiObject): ApiObject;
  toStored(object: ApiObject): ApiObject;
}

export interface Resource {
  readonly kind: Kind;
  readonly strategy: Strategy;
  readonly storage: CachedKind;
  readonly storedKind: Kind;
  readonly cache: KindCache;
  readonly view: View | undefined;
  /** Of kinds that are not stored but made: fills the cache before it is read. */
  refresh?(): Promise<void>;
}

/** Where the objects of a kind are kept, and how their bytes begin. */
export function storageOf(strategy: Strategy): CachedKind {
  const { indexedField } = strategy;
  const kind = eventsView(strategy.kind)?.storedKind ?? strategy.kind;
  return {
    prefix: storePrefix(kind),
    head: new ObjectHead(kind),
    ...(indexedField !== undefined && {
      indexedField: ({ object }: CachedObject) =>
        strategy.fieldLabels?.[indexedField]?.(object) ?? "",
    }),
  };
}

/** "core/configmaps/" */
export function storePrefix({ group, resource }: Pick<Kind, "group" | "resource">): string {
  return `${group === "" ? "core" : group}/${resource}/`;
}

/** The key of an object within its kind. */
export function objectKey(kind: Pick<Kind, "namespaced">, namespace: string, name: string): string {
  return kind.namespaced ? `${namespace}/${name}` : name;
}

/** As errors name the kind. */
export function named({ kind }: Resource): Named {
  return kind;
}

/** As clients of this resource see a stored object. Shared with all readers unless it is a view. */
export function shownObject({ view }: Resource, cached: CachedObject): ApiObject {
  return view === undefined ? cached.object : view.fromStored(cached.object);
}
