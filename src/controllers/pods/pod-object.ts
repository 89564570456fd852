// Pods as controllers read them from an informer and write them.

import { kindOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";

export type PodObject = Pod & ApiObject;

export const POD: ResourceKind = servedKind("v1", "Pod");

/** The kind of this name, which the API is known to have. */
export function servedKind(apiVersion: string, name: string): ResourceKind {
  const kind = kindOf(apiVersion, name);
  if (kind === undefined) throw new Error(`Cannot control ${name}: ${apiVersion} has no such kind`);
  return kind;
}

/** "namespace/name": what informers and queues call it. */
export function keyOfObject({ metadata: { namespace = "", name = "" } }: ApiObject): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
