// Where a resource is on any API server, and how questions are put in a query.

import { apiVersionOf, type Kind } from "../api/kind.ts";

/** What of a kind is needed to ask for it. Kinds that only other servers have can be written down as well. */
export type ResourceKind = Pick<Kind, "group" | "version" | "kind" | "resource" | "namespaced">;

export interface ResourcePlace {
  /** All of them if missing, for lists and watches. */
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: string;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function resourcePath(kind: ResourceKind, place: ResourcePlace, query: Query = {}): string {
  const { namespace, name, subresource } = place;
  const root = kind.group === "" ? "/api" : "/apis";
  const parts = [apiVersionOf(kind)];
  if (kind.namespaced && namespace !== undefined) {
    parts.push("namespaces", encodeURIComponent(namespace));
  }
  parts.push(kind.resource);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource !== undefined) parts.push(subresource);
  return `${root}/${parts.join("/")}${queryText(query)}`;
}

/** What is undefined is not asked; "" is. */
function queryText(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  return params.size === 0 ? "" : `?${params.toString()}`;
}
