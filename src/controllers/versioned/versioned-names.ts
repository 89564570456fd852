// The words by which users ask for versions, and by which copies are known. All state of this controller is in them: whoever takes over
// reads it from the objects.
//
//   driftless.dev/versioned: "true"            on a ConfigMap or Secret: keep copies; on a workload: point to the newest, of all or of
//                                              those that it lists: "app, secret/tls"
//   driftless.dev/versioned-from: app          label of a copy: its source
//   driftless.dev/newest: "1234"               on the copy that holds what the source has now: since this resourceVersion of the source
//   given.driftless.dev/UID: Deployment/web    on the newest copy: this workload has been pointed to it
//   driftless.dev/unneeded-since: TIME         on a copy that nothing refers to

import { createHash } from "node:crypto";
import type { ApiObject } from "../../api/object.ts";
import { SHORT_VERSION_DIGITS } from "../../base/content-version.ts";

export type SourceKind = "ConfigMap" | "Secret";

export interface SourceName {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

export const VERSIONED = "driftless.dev/versioned";
export const VERSIONED_FROM = "driftless.dev/versioned-from";
export const NEWEST = "driftless.dev/newest";
export const UNNEEDED_SINCE = "driftless.dev/unneeded-since";
const GIVEN = "given.driftless.dev/";

const MAX_NAME = 253;
const MAX_LABEL = 63;
/** What a source's name may have so that a version fits behind it. */
export const MAX_SOURCE_NAME: number = MAX_NAME - 1 - SHORT_VERSION_DIGITS;

/** Key of queues and maps: turns go round the namespaces. */
export function sourceKey({ kind, namespace, name }: SourceName): string {
  return `${namespace}/${kind}/${name}`;
}

export function sourceOfKey(key: string): SourceName {
  const [namespace = "", kind = "", name = ""] = key.split("/");
  return { kind: kind as SourceKind, namespace, name };
}

export function copyName(source: string, version: string): string {
  return `${source}-${version}`;
}

/** The source whose copy is called so, by the form of the name alone; undefined if it is no such form. */
export function sourceNameOf(name: string): string | undefined {
  return /^(.+)-[0-9a-f]{10}$/.exec(name)?.[1];
}

/** Copies are no sources, whatever is written on them. */
export function isVersioned({ metadata }: ApiObject): boolean {
  return (
    metadata.annotations?.[VERSIONED] === "true" &&
    metadata.labels?.[VERSIONED_FROM] === undefined &&
    metadata.deletionTimestamp == null
  );
}

/** The name of the source; undefined for what is no copy. An annotation holds those that do not fit into a label. */
export function sourceOfCopy({ metadata }: ApiObject): string | undefined {
  const label = metadata.labels?.[VERSIONED_FROM];
  return label && (metadata.annotations?.[VERSIONED_FROM] ?? label);
}

export function sourceLabel(name: string): string {
  if (name.length <= MAX_LABEL) return name;
  const sum = createHash("sha256").update(name).digest("hex").slice(0, SHORT_VERSION_DIGITS);
  return `${name.slice(0, MAX_LABEL - 1 - sum.length)}-${sum}`;
}

/** Since which resourceVersion of its source it is the newest; undefined if it is not. */
export function newestSince({ metadata }: ApiObject): string | undefined {
  return metadata.deletionTimestamp == null ? metadata.annotations?.[NEWEST] : undefined;
}

export function givenKey(uid: string): string {
  return GIVEN + uid;
}

/** Uids of the workloads that have been pointed to this copy since it is the newest. */
export function givenTo({ metadata }: ApiObject): readonly string[] {
  return Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(GIVEN))
    .map((key) => key.slice(GIVEN.length));
}

/** Which sources a workload wants the newest copies of. */
export function asksFor({ metadata }: ApiObject): (of: SourceName) => boolean {
  const text = metadata.annotations?.[VERSIONED]?.trim() ?? "";
  if (text === "true") return () => true;
  if (text === "" || text === "false" || metadata.deletionTimestamp != null) return () => false;
  const words = new Set(text.split(",").map((word) => word.trim().toLowerCase()));
  return ({ kind, name }) => words.has(name) || words.has(`${kind.toLowerCase()}/${name}`);
}

export function asksForAny({ metadata }: ApiObject): boolean {
  const text = metadata.annotations?.[VERSIONED]?.trim() ?? "";
  return text !== "" && text !== "false" && metadata.deletionTimestamp == null;
}
