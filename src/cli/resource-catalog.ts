// What people call the kinds of a server: plural, singular, kind or short name, with or without a group and a version; and
// names for several at once, such as "all".

import { apiVersionOf } from "../api/kind.ts";
import type { ApiObject } from "../api/object.ts";
import type { ApiClient } from "../client/api-client.ts";
import { discover, type ServedResource } from "../client/discovery.ts";
import { CliError } from "./cli-error.ts";

export class ResourceCatalog {
  readonly #resources: readonly ServedResource[];

  constructor(resources: readonly ServedResource[]) {
    this.#resources = resources;
  }

  static async of(client: ApiClient, signal?: AbortSignal): Promise<ResourceCatalog> {
    return new ResourceCatalog((await discover(client, signal)).resources);
  }

  /** "cm", "ConfigMap", "deployments.apps", "deploy.v1.apps". Throws CliError if there is none. */
  resource(name: string): ServedResource {
    const [word = "", ...rest] = name.toLowerCase().split(".");
    const found = best(this.#resources, word, placesOf(rest));
    if (found !== undefined) return found;
    const group = rest.join(".");
    const where = group === "" ? "" : ` in group ${JSON.stringify(group)}`;
    throw new CliError(`the server doesn't have a resource type ${JSON.stringify(word)}${where}`);
  }

  /** The same, or all that are in a category of that name. */
  resources(name: string): readonly ServedResource[] {
    const inCategory = this.#resources.filter(
      ({ categories, isPreferred }) => isPreferred && categories?.includes(name) === true,
    );
    return inCategory.length > 0 ? inCategory : [this.resource(name)];
  }

  /** That an object says it is of. Undefined if there is none. */
  resourceOf({ apiVersion = "", kind = "" }: ApiObject): ServedResource | undefined {
    return this.#resources.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  }
}

/** "configmap", "deployment.apps": what kubectl puts in front of names. */
export function kindPrefix({ group, kind }: Pick<ServedResource, "group" | "kind">): string {
  return group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

interface Place {
  readonly version?: string;
  readonly group?: string;
}

/** What may be meant by the words behind the first dot. */
function placesOf(rest: readonly string[]): readonly Place[] {
  if (rest.length === 0) return [{}];
  const [version = "", ...group] = rest;
  const withVersion = /^v\d/.test(version) ? [{ version, group: group.join(".") }] : [];
  return [...withVersion, { group: rest.join(".") }];
}

/** How well a word names a resource: the plural counts more than a short name of another. */
const MATCHES: readonly ((one: ServedResource, word: string) => boolean)[] = [
  (one, word) => one.resource === word,
  (one, word) => one.singular === word || one.kind.toLowerCase() === word,
  (one, word) => one.shortNames?.includes(word) === true,
];

function best(
  resources: readonly ServedResource[],
  word: string,
  places: readonly Place[],
): ServedResource | undefined {
  for (const matches of MATCHES) {
    const named = resources.filter((one) => matches(one, word));
    for (const place of places) {
      const found =
        named.find((one) => isAt(one, place)) ?? named.find((one) => isNear(one, place));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function isAt(one: ServedResource, { version, group }: Place): boolean {
  const isVersion = version === undefined ? one.isPreferred : one.version === version;
  return isVersion && (group === undefined || one.group === group);
}

/** The beginning of a group's name is enough: "rbac" for "rbac.authorization.k8s.io". */
function isNear(one: ServedResource, { version, group = "" }: Place): boolean {
  return version === undefined && group !== "" && one.isPreferred && one.group.startsWith(group);
}
