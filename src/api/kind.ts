// A kind as the API serves it: its names, its scope and the table of its fields.

import type { TypeSchema } from "./schema/schema.ts";

export type Verb =
  | "create"
  | "delete"
  | "deletecollection"
  | "get"
  | "list"
  | "patch"
  | "update"
  | "watch";

export interface Subresource {
  /** "status", "scale", "binding" … */
  readonly name: string;
  /** What it reads and writes; the kind itself for "status". */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: TypeSchema;
  readonly verbs: readonly Verb[];
}

export interface Kind {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** "configmaps" */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly schema: TypeSchema;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /** Clients compare it to see whether a resource is stored as another kind now. */
  readonly storageVersionHash?: string;
}

/** "v1", "apps/v1" */
export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** "configmaps", "deployments.apps": how messages name a resource. */
export function qualifiedResource(kind: {
  readonly group: string;
  readonly resource: string;
}): string {
  return kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`;
}
