// What clients read first: which groups, versions and resources there are. Kinds carry all of it, so the documents are
// pure functions of them. The core group has its own path, /api, and its documents differ in small ways that old
// clients rely on; they are kept.

import type { JsonObject } from "./json.ts";
import { apiVersionOf, type Kind, type Subresource, type Verb } from "./kind.ts";

/** `/api`. The address is where clients in any network reach this server: `host:port`. */
export function apiVersionsDocument(kinds: readonly Kind[], serverAddress: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: versionsOf(kinds, ""),
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis` */
export function apiGroupListDocument(kinds: readonly Kind[]): JsonObject {
  const groups = groupsOf(kinds).map((group) => groupEntry(kinds, group));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** `/apis/GROUP` */
export function apiGroupDocument(kinds: readonly Kind[], group: string): JsonObject | undefined {
  if (!groupsOf(kinds).includes(group)) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(kinds, group) };
}

/** `/api/v1` and `/apis/GROUP/VERSION` */
export function apiResourceListDocument(
  kinds: readonly Kind[],
  group: string,
  version: string,
): JsonObject | undefined {
  const served = kindsIn(kinds, group, version);
  if (served.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: served.flatMap((kind) => [
      resourceEntry(kind),
      ...kind.subresources.map((sub) => subresourceEntry(kind, sub)),
    ]),
  };
}

/** All of it in one document, for clients that accept it: of the core group at `/api`, of the others at `/apis`. */
export function groupDiscoveryDocument(
  kinds: readonly Kind[],
  options: { readonly path: "/api" | "/apis"; readonly format: "v2" | "v2beta1" },
): JsonObject {
  const groups = options.path === "/api" ? [""] : groupsOf(kinds);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${options.format}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === "" ? {} : { name: group },
      versions: versionsOf(kinds, group).map((version) => ({
        version,
        resources: kindsIn(kinds, group, version).map(aggregatedResource),
        freshness: "Current",
      })),
    })),
  };
}

/** Without the core group, in the order of the kinds. */
function groupsOf(kinds: readonly Kind[]): string[] {
  return [...new Set(kinds.map((kind) => kind.group))].filter((group) => group !== "");
}

/** The preferred version is the first. */
function versionsOf(kinds: readonly Kind[], group: string): string[] {
  const served = kinds.filter((kind) => kind.group === group);
  return [...new Set(served.map((kind) => kind.version))];
}

function kindsIn(kinds: readonly Kind[], group: string, version: string): Kind[] {
  return kinds.filter((kind) => kind.group === group && kind.version === version);
}

function groupEntry(kinds: readonly Kind[], group: string): JsonObject {
  const versions = versionsOf(kinds, group).map((version) => ({
    groupVersion: apiVersionOf({ group, version }),
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function resourceEntry(kind: Kind): JsonObject {
  return {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: [...kind.verbs],
    ...namesOf(kind),
    ...(kind.storageVersionHash !== undefined && { storageVersionHash: kind.storageVersionHash }),
  };
}

function subresourceEntry(kind: Kind, sub: Subresource): JsonObject {
  const elsewhere = apiVersionOf(sub) !== apiVersionOf(kind);
  return {
    name: `${kind.resource}/${sub.name}`,
    singularName: "",
    namespaced: kind.namespaced,
    ...(elsewhere ? { group: sub.group, version: sub.version } : {}),
    kind: sub.kind,
    verbs: [...sub.verbs],
  };
}

function aggregatedResource(kind: Kind): JsonObject {
  return {
    resource: kind.resource,
    responseKind: responseKind(kind, kind),
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: [...kind.verbs],
    ...namesOf(kind),
    ...(kind.subresources.length === 0
      ? {}
      : { subresources: kind.subresources.map((sub) => aggregatedSubresource(kind, sub)) }),
  };
}

function aggregatedSubresource(kind: Kind, sub: Subresource): JsonObject {
  const verbs: Verb[] = [...sub.verbs];
  return { subresource: sub.name, responseKind: responseKind(kind, sub), verbs };
}

/** Group and version are empty where they are those of the resource itself. */
function responseKind(kind: Kind, shown: Kind | Subresource): JsonObject {
  const here = apiVersionOf(shown) === apiVersionOf(kind);
  return {
    group: here ? "" : shown.group,
    version: here ? "" : shown.version,
    kind: shown.kind,
  };
}

function namesOf(kind: Kind): JsonObject {
  return {
    ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
    ...(kind.categories.length === 0 ? {} : { categories: [...kind.categories] }),
  };
}
