// An informer of a controller's own that follows a few objects of a kind: a copy of all ConfigMaps or Secrets would be large.

import type { ApiObject } from "../../api/object.ts";
import { Informer } from "../../client/informer.ts";
import type { Indexer } from "../../client/informer-store.ts";
import { listWatchOf } from "../../client/list-watch.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";

export interface Selected<T> {
  readonly kind: ResourceKind;
  readonly fieldSelector: string;
  readonly indexers?: Readonly<Record<string, Indexer<T>>>;
}

/** Whoever makes it runs it. */
export function selectedInformer<T extends ApiObject>(
  { client, clock, random, logger }: ControllerContext,
  { kind, fieldSelector, indexers = {} }: Selected<T>,
): Informer<T> {
  const listWatch = listWatchOf<T>({ client, kind, fieldSelector });
  const parts = { clock, random, logger };
  return new Informer<T>({ listWatch, indexers, startsWithNewest: true, ...parts });
}
