// How kinds are written down: only what is particular to each. All are in version v1, have every verb and live in a
// namespace unless they say otherwise.

import type { Kind, Subresource, Verb } from "../kind.ts";
import { scale } from "../schema/autoscaling/scale.ts";
import type { TypeSchema } from "../schema/schema.ts";

const everyVerb: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
export const withoutDeleteCollection: readonly Verb[] = everyVerb.filter(
  (verb) => verb !== "deletecollection",
);
export const readAndWrite: readonly Verb[] = ["get", "patch", "update"];
export const connect: readonly Verb[] = ["create", "get"];
export const proxy: readonly Verb[] = ["create", "delete", "get", "patch", "update"];

interface SubresourceEntry {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** What it shows if that is not the object itself; in the core group unless said otherwise. */
  readonly shows?: { readonly group?: string; readonly kind: string; readonly schema: TypeSchema };
}

interface KindEntry {
  readonly kind: string;
  readonly resource: string;
  readonly schema: TypeSchema;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly clusterWide?: boolean;
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly SubresourceEntry[];
}

const version = "v1";

/** The kinds of a group; "" is the core group. */
export function inGroup(group: string, entries: readonly KindEntry[]): readonly Kind[] {
  return entries.map((entry) => {
    const { kind, resource, schema, shortNames = [], categories = [], verbs = everyVerb } = entry;
    return {
      group,
      version,
      kind,
      resource,
      singular: kind.toLowerCase(),
      shortNames,
      categories,
      namespaced: entry.clusterWide !== true,
      schema,
      verbs,
      subresources: (entry.subresources ?? []).map((sub) => subresourceOf(sub, group, entry)),
    };
  });
}

function subresourceOf(sub: SubresourceEntry, group: string, owner: KindEntry): Subresource {
  const { name, verbs, shows = { group, kind: owner.kind, schema: owner.schema } } = sub;
  return { name, group: shows.group ?? "", version, kind: shows.kind, schema: shows.schema, verbs };
}

/** Of kinds that keep apart what was asked for and what is. */
export const statusOnly: readonly SubresourceEntry[] = [{ name: "status", verbs: readAndWrite }];

/** Of kinds that run a number of pods. */
export const scaleAndStatus: readonly SubresourceEntry[] = [
  {
    name: "scale",
    verbs: readAndWrite,
    shows: { group: "autoscaling", kind: "Scale", schema: scale },
  },
  ...statusOnly,
];
