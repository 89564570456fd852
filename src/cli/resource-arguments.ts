// Words on the command line that name objects: "TYPE[,TYPE…] [NAME…]" or "TYPE/NAME…".

import type { ServedResource } from "../client/discovery.ts";
import { misuse } from "./cli-error.ts";
import type { ResourceCatalog } from "./resource-catalog.ts";

export interface ObjectsAsked {
  readonly resource: ServedResource;
  /** Missing: all that there are. */
  readonly name?: string;
}

/** Throws CliError if they name nothing that is served, or mix the two forms. */
export function parseResourceArguments(
  words: readonly string[],
  catalog: ResourceCatalog,
): readonly ObjectsAsked[] {
  if (words.some((word) => word.includes("/"))) {
    return words.map((word) => parseTypeAndName(word, catalog));
  }
  const [types = "", ...names] = words;
  const resources = types.split(",").flatMap((type) => {
    if (type === "") throw misuse("arguments must consist of a resource or a resource and name");
    return catalog.resources(type);
  });
  const unique = [...new Set(resources)];
  if (names.includes("")) throw misuse("resource name may not be empty");
  return unique.flatMap((resource): ObjectsAsked[] =>
    names.length === 0 ? [{ resource }] : names.map((name) => ({ resource, name })),
  );
}

function parseTypeAndName(word: string, catalog: ResourceCatalog): ObjectsAsked {
  const parts = word.split("/");
  const [type = "", name = ""] = parts;
  if (parts.length === 1) {
    throw misuse(
      `there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'driftless get resource/<resource_name>' instead of 'driftless get resource resource/<resource_name>')`,
    );
  }
  if (parts.length > 2) {
    throw misuse("arguments in resource/name form may not have more than one slash");
  }
  if (type === "" || name === "") {
    throw misuse("arguments in resource/name form must have a single resource and name");
  }
  return { resource: catalog.resource(type), name };
}
