// What a server serves: every resource with its verbs, group by group. Newer servers tell it in two documents, older ones in one per
// group and version. A group that another server stands behind may be unknown for a while; that is told, never taken for absence.

import type { APIGroupList, APIResource, APIResourceList, APIVersions } from "../api/types.ts";
import { describe } from "../base/errors.ts";
import type { ApiClient } from "./api-client.ts";
import type { ResourceKind } from "./resource-path.ts";

/** Subresources are left out. */
export interface ServedResource extends ResourceKind {
  readonly verbs: readonly string[];
  /** Other names that people call it by, as far as the server tells some. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** Sets that it is in, such as "all". */
  readonly categories?: readonly string[];
  /** No version of its group that is served and liked better has it. */
  readonly isPreferred: boolean;
}

export interface Discovered {
  readonly resources: readonly ServedResource[];
  /** Why a group and version could not be told, by "group/version". */
  readonly failures: ReadonlyMap<string, string>;
  /** Names of groups and versions that are none. */
  readonly misnamed: readonly string[];
}

/** One version of a group, with what is said of it. */
interface Version {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Omit<ServedResource, "isPreferred">[] | undefined;
  readonly failure?: string;
  /** What the server called it, if that is no group and version. */
  readonly misnamed?: string;
}

interface AggregatedList {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string } | null;
        readonly scope: string;
        readonly verbs?: readonly string[] | null;
        readonly singularResource?: string;
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
      }[];
    }[];
  }[];
}

const AGGREGATED: string = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** Throws if the server does not even tell its groups. */
export async function discover(client: ApiClient, signal?: AbortSignal): Promise<Discovered> {
  const versions = [
    ...(await versionsAt(client, "/api", signal)),
    ...(await versionsAt(client, "/apis", signal)),
  ];
  const seen = new Set<string>();
  const resources: ServedResource[] = [];
  for (const one of versions.flatMap((version) => version.resources ?? [])) {
    const name = `${one.resource}.${one.group}`;
    resources.push({ ...one, isPreferred: !seen.has(name) });
    seen.add(name);
  }
  const failed = versions.flatMap(({ group, version, failure }) =>
    failure === undefined ? [] : [[nameOf(group, version), failure] as const],
  );
  const misnamed = versions.flatMap((version) => version.misnamed ?? []);
  return { resources, failures: new Map(failed), misnamed };
}

/** The preferred version of each group comes first. */
async function versionsAt(
  client: ApiClient,
  path: "/api" | "/apis",
  signal: AbortSignal | undefined,
): Promise<readonly Version[]> {
  const ask = async (at: string): Promise<unknown> =>
    client.request({ method: "GET", path: at, accept: AGGREGATED, ...(signal && { signal }) });
  const answer = (await ask(path)) as AggregatedList & APIVersions & APIGroupList;
  if (answer.kind === "APIGroupDiscoveryList") return aggregatedVersions(answer);
  const named = path === "/api" ? coreVersions(answer) : groupVersions(answer);
  return Promise.all(
    named.map(async ({ group, version }): Promise<Version> => {
      try {
        const list = (await ask(`${path}/${nameOf(group, version)}`)) as APIResourceList;
        return listedVersion({ group, version }, list);
      } catch (err) {
        signal?.throwIfAborted();
        return { group, version, resources: undefined, failure: describe(err) };
      }
    }),
  );
}

function aggregatedVersions({ items = [] }: AggregatedList): readonly Version[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.map(({ version, freshness, resources = [] }): Version => {
      const group = metadata?.name ?? "";
      if (freshness === "Stale") {
        const failure = `stale GroupVersion discovery: ${nameOf(group, version)}`;
        return { group, version, resources: undefined, failure };
      }
      const known = resources.flatMap(({ resource, responseKind, scope, verbs, ...told }) => {
        const kind = responseKind?.kind ?? "";
        // Nothing but subresources are served of it.
        if (kind === "") return [];
        const namespaced = scope === "Namespaced";
        const names = namesOf({ ...told, singular: told.singularResource });
        return [{ group, version, kind, resource, namespaced, verbs: verbs ?? [], ...names }];
      });
      return { group, version, resources: known };
    }),
  );
}

type Named = Pick<Version, "group" | "version">;

function coreVersions({ versions }: APIVersions): readonly Named[] {
  return (versions ?? []).map((version) => ({ group: "", version }));
}

function groupVersions({ groups }: APIGroupList): readonly Named[] {
  return (groups ?? []).flatMap(({ name, versions, preferredVersion }) => {
    const all = (versions ?? []).map(({ version }) => version);
    const best = all.filter((version) => version === preferredVersion?.version);
    return [...new Set([...best, ...all])].map((version) => ({ group: name, version }));
  });
}

function listedVersion({ group, version }: Named, list: APIResourceList): Version {
  const { groupVersion, resources } = list;
  const misnamed = groupVersion.split("/").length > 2 ? { misnamed: groupVersion } : {};
  const known = (resources ?? []).flatMap((told: APIResource) => {
    const { name, kind, namespaced, verbs } = told;
    if (name.includes("/")) return [];
    const names = namesOf({ ...told, singular: told.singularName });
    return [{ group, version, kind, resource: name, namespaced, verbs: verbs ?? [], ...names }];
  });
  return { group, version, resources: "misnamed" in misnamed ? [] : known, ...misnamed };
}

function namesOf(told: {
  readonly singular: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
}): Pick<ServedResource, "singular" | "shortNames" | "categories"> {
  const { singular, shortNames, categories } = told;
  return {
    ...(singular && { singular }),
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
  };
}

function nameOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}
