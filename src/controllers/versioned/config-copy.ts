// The copy of a ConfigMap or Secret that holds one content for ever.

import type { ApiObject } from "../../api/object.ts";
import type { ConfigMap, Secret } from "../../api/types.ts";
import { shortVersion } from "../../base/content-version.ts";
import { objectVersion } from "../../base/object-content.ts";
import {
  copyName,
  MAX_SOURCE_NAME,
  NEWEST,
  type SourceKind,
  sourceLabel,
  VERSIONED_FROM,
} from "./versioned-names.ts";

/** A ConfigMap has no type, a Secret no binaryData. */
export type SourceObject = ApiObject & ConfigMap & Secret;

/**
 * Labels by which other tools find what they own, and delete what they do not know. All others go along, so that a DeliveryPolicy that
 * checks the source checks its copies.
 */
const OWNERS_LABELS =
  /^(app\.kubernetes\.io\/(instance|managed-by)$|argocd\.|kustomize\.toolkit\.|helm\.|objectset\.rio\.)/;
/** Others fill these in, and delete what does not fit them. */
const UNCOPIED_TYPES: ReadonlySet<string> = new Set([
  "kubernetes.io/service-account-token",
  "bootstrap.kubernetes.io/token",
]);

/** Why no copies can be made of it, and what to do; undefined if they can. */
export function whyNotCopied({ metadata, type }: SourceObject): string | undefined {
  const { name = "" } = metadata;
  if (name.length > MAX_SOURCE_NAME) {
    return `the name has ${name.length} characters, and only ${MAX_SOURCE_NAME} leave room for a version; choose a shorter one`;
  }
  if (type === undefined || !UNCOPIED_TYPES.has(type)) return undefined;
  return `Secrets of type ${type} are filled in by others; remove the annotation`;
}

/** The newest, as it is made. Nobody owns it: it outlives its source while anybody needs it. */
export function copyOf(kind: SourceKind, source: SourceObject): SourceObject {
  const { metadata, data, binaryData, type } = source;
  const { namespace, name = "", resourceVersion = "" } = metadata;
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => !OWNERS_LABELS.test(key));
  const label = sourceLabel(name);
  return {
    apiVersion: "v1",
    kind,
    metadata: {
      // Of a Secret the version depends on the uid too: one that is made anew has other copies.
      name: copyName(name, shortVersion(objectVersion(kind, source))),
      namespace,
      labels: { ...Object.fromEntries(labels), [VERSIONED_FROM]: label },
      annotations: {
        [NEWEST]: resourceVersion,
        ...(label !== name && { [VERSIONED_FROM]: name }),
      },
    },
    immutable: true,
    ...(data !== undefined && { data }),
    ...(binaryData !== undefined && { binaryData }),
    ...(type !== undefined && { type }),
  } as SourceObject;
}
