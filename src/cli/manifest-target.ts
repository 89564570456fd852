// Which object on the server a manifest means: its kind, its namespace and its name.

import type { ApiObject } from "../api/object.ts";
import type { ServedResource } from "../client/discovery.ts";
import type { CliContext } from "./cli-context.ts";
import { CliError } from "./cli-error.ts";
import type { Manifest } from "./manifest-documents.ts";
import type { ResourceCatalog } from "./resource-catalog.ts";

export interface ManifestTarget {
  readonly resource: ServedResource;
  /** With the namespace in it, if it is to have one. */
  readonly object: ApiObject;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly source: string;
}

/** Throws CliError if the server does not have the kind, or the namespace is not the one that was named. */
export function manifestTarget(
  { object, source }: Manifest,
  catalog: ResourceCatalog,
  context: Pick<CliContext, "namespace" | "isNamespaceGiven">,
): ManifestTarget {
  const resource = catalog.resourceOf(object);
  if (resource === undefined) throw unknownKind(object, source);
  const { name = "", namespace: own = "" } = object.metadata;
  if (name === "") throw nameless(object, source);
  if (!resource.namespaced) return { resource, object, namespace: undefined, name, source };
  if (context.isNamespaceGiven && own !== "" && own !== context.namespace) {
    throw new CliError(
      `the namespace from the provided object ${JSON.stringify(own)} does not match the namespace ${JSON.stringify(context.namespace)}. You must pass '--namespace=${own}' to perform this operation.`,
    );
  }
  const namespace = own === "" ? context.namespace : own;
  const placed = { ...object, metadata: { ...object.metadata, namespace } };
  return { resource, object: placed, namespace, name, source };
}

function unknownKind({ metadata, kind, apiVersion }: ApiObject, source: string): Error {
  const { name = "", namespace = "" } = metadata;
  const [what, where] = [JSON.stringify(name), JSON.stringify(namespace)];
  return new CliError(
    `resource mapping not found for name: ${what} namespace: ${where} from ${JSON.stringify(source)}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
  );
}

function nameless({ metadata, kind }: ApiObject, source: string): Error {
  const { generateName } = metadata;
  return new CliError(
    generateName === undefined
      ? `Cannot use ${source}: a ${kind ?? "thing"} has no metadata.name`
      : `from ${generateName}: cannot use generate name with apply`,
  );
}
