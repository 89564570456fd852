// Every kind that the API serves, and every type that its requests and answers can be.

import { apiVersionOf, type Kind } from "./kind.ts";
import { authenticationKinds, authorizationKinds, rbacKinds } from "./kinds/access.ts";
import {
  coordinationKinds,
  discoveryKinds,
  eventsKinds,
  networkingKinds,
} from "./kinds/cluster.ts";
import { coreKinds } from "./kinds/core.ts";
import { driftlessKinds } from "./kinds/driftless.ts";
import { appsKinds, batchKinds, policyKinds } from "./kinds/workloads.ts";
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  watchEvent,
} from "./schema/api-discovery.ts";
import { podLogOptions } from "./schema/core/connect-options.ts";
import { listTypeOf } from "./schema/list.ts";
import { partialObjectMetadata } from "./schema/meta.ts";
import { createOptions, deleteOptions, patchOptions, updateOptions } from "./schema/options.ts";
import type { TypeSchema } from "./schema/schema.ts";
import { status } from "./schema/status.ts";

/** Group by group, sorted by resource, as discovery shows them. */
export const kinds: readonly Kind[] = [
  ...coreKinds,
  ...appsKinds,
  ...eventsKinds,
  ...authenticationKinds,
  ...authorizationKinds,
  ...batchKinds,
  ...networkingKinds,
  ...policyKinds,
  ...rbacKinds,
  ...coordinationKinds,
  ...discoveryKinds,
  ...driftlessKinds,
];

const kindByName = new Map(kinds.map((kind) => [nameOf(kind), kind]));

/** The kind that is served under this name. */
export function kindOf(apiVersion: string, kind: string): Kind | undefined {
  return kindByName.get(`${apiVersion}/${kind}`);
}

/** What clients may send or get in any group and version. */
const everywhere: Readonly<Record<string, TypeSchema>> = {
  CreateOptions: createOptions,
  DeleteOptions: deleteOptions,
  PatchOptions: patchOptions,
  UpdateOptions: updateOptions,
  WatchEvent: watchEvent,
};

const typeByName: ReadonlyMap<string, TypeSchema> = new Map([
  ...kinds.flatMap(typesAround),
  ...["meta.k8s.io/v1", ...kinds.map(apiVersionOf)].flatMap((apiVersion) =>
    Object.entries(everywhere).map(([kind, type]) => [`${apiVersion}/${kind}`, type] as const),
  ),
  ["v1/APIGroup", apiGroup],
  ["v1/APIGroupList", apiGroupList],
  ["v1/APIResourceList", apiResourceList],
  ["v1/APIVersions", apiVersions],
  ["v1/PodLogOptions", podLogOptions],
  ["v1/Status", status],
  ["meta.k8s.io/v1/PartialObjectMetadata", partialObjectMetadata],
  ["meta.k8s.io/v1/PartialObjectMetadataList", listTypeOf(partialObjectMetadata)],
]);

/** The table of anything that can stand alone: a kind, its list, what a subresource takes, options, Status. */
export function typeOf(apiVersion: string, kind: string): TypeSchema | undefined {
  return typeByName.get(`${apiVersion}/${kind}`);
}

/** All that `typeOf` knows, each once. */
export const standaloneTypes: readonly TypeSchema[] = [...new Set(typeByName.values())];

function typesAround(kind: Kind): (readonly [string, TypeSchema])[] {
  const found: (readonly [string, TypeSchema])[] = [[nameOf(kind), kind.schema]];
  if (kind.verbs.includes("list")) found.push([`${nameOf(kind)}List`, listTypeOf(kind.schema)]);
  return [...found, ...kind.subresources.map((sub) => [nameOf(sub), sub.schema] as const)];
}

function nameOf(kind: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): string {
  return `${apiVersionOf(kind)}/${kind.kind}`;
}
