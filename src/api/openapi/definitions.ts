// The schemas of a set of kinds: theirs, those of their lists and subresources, and all that these contain.

import type { JsonObject } from "../json.ts";
import { apiVersionOf, type Kind } from "../kind.ts";
import { apiResourceList, watchEvent } from "../schema/api-discovery.ts";
import { listTypeOf } from "../schema/list.ts";
import { deleteOptions } from "../schema/options.ts";
import { reachableTypes } from "../schema/reachable.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { status } from "../schema/status.ts";
import { isConnection } from "./operations.ts";
import { type Dialect, specialDefinitions, typeDocument } from "./schema-document.ts";

/** A type that stands alone, and under which names it is served. */
interface Named {
  readonly type: TypeSchema;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export function definitionsOf(kinds: readonly Kind[], dialect: Dialect): JsonObject {
  const versions = new Map(kinds.map((kind) => [apiVersionOf(kind), kind]));
  const options = [...versions.values()].flatMap(({ group, version }) => [
    { type: deleteOptions, group, version, kind: "DeleteOptions" },
    { type: watchEvent, group, version, kind: "WatchEvent" },
  ]);
  return documentsOf([...generalTypes, ...kinds.flatMap(namedTypes), ...options], dialect);
}

/** Only the types given and what they contain. */
export function definitionsOfTypes(types: readonly TypeSchema[], dialect: Dialect): JsonObject {
  const named = types.map((type) => ({ type, group: "", version: "v1", kind: shortName(type) }));
  return documentsOf(named, dialect);
}

const generalTypes: readonly Named[] = [deleteOptions, status, watchEvent, apiResourceList].map(
  (type) => ({ type, group: "", version: "v1", kind: shortName(type) }),
);

function namedTypes(kind: Kind): readonly Named[] {
  const { group, version } = kind;
  const named: Named[] = [{ type: kind.schema, group, version, kind: kind.kind }];
  if (kind.verbs.includes("list")) {
    named.push({ type: listTypeOf(kind.schema), group, version, kind: `${kind.kind}List` });
  }
  const subresources = kind.subresources
    // The options of a connection are sent in the query; no document shows their type.
    .filter((sub) => !isConnection(sub) && sub.schema !== kind.schema)
    .map((sub) => ({ type: sub.schema, group: sub.group, version: sub.version, kind: sub.kind }));
  return [...named, ...subresources];
}

function documentsOf(named: readonly Named[], dialect: Dialect): JsonObject {
  const documents = new Map<string, JsonObject>();
  for (const type of reachableTypes(named.map(({ type }) => type))) {
    documents.set(type.name, typeDocument(type, dialect));
  }
  for (const { type, group, version, kind } of named)
    addName(documents.get(type.name), { group, version, kind });
  const special = Object.entries(specialDefinitions(dialect)) as [string, JsonObject][];
  return Object.fromEntries([...documents, ...special].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Several kinds can share a type. */
function addName(
  document: JsonObject | undefined,
  name: { readonly group: string; readonly version: string; readonly kind: string },
): void {
  if (document === undefined) return;
  const key = "x-kubernetes-group-version-kind";
  const names = (document[key] ?? []) as JsonObject[];
  const isKnown = names.some(({ group, kind }) => group === name.group && kind === name.kind);
  if (!isKnown)
    document[key] = [...names, { group: name.group, kind: name.kind, version: name.version }];
}

function shortName(type: TypeSchema): string {
  return type.name.slice(type.name.lastIndexOf(".") + 1);
}
