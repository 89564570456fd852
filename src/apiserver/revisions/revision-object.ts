// A ConfigRevision as the server makes it: the content, what changed since the one before, who and when.

import { microTime } from "../../api/api-time.ts";
import type { ConfigRevision } from "../../api/types.ts";
import { objectChange } from "../../base/object-content.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import { labelValue, revisionName, revisionPrefix } from "./revision-name.ts";

export type HistoricKind = "ConfigMap" | "Secret";

const KIND_LABEL = "driftless.dev/kind";
const NAME_LABEL = "driftless.dev/name";

/** Parsed for this one look: the cache would keep what it parses as long as the object. */
export function readRevision({ bytes }: CachedObject): ConfigRevision {
  return JSON.parse(bytes.toString()) as ConfigRevision;
}

export interface RevisionOf {
  readonly kind: HistoricKind;
  /** Of which this is the content. */
  readonly cached: CachedObject;
  readonly hash: string;
  readonly number: number;
  readonly author: string;
  readonly changedAtMs: number;
  /** Of the same object. */
  readonly previous: ConfigRevision | undefined;
}

export function revisionOf(of: RevisionOf): ConfigRevision {
  const { kind, cached, hash, number, author, changedAtMs, previous } = of;
  const { metadata, ...object } = cached.object;
  const { name = "", namespace = "", uid = "" } = metadata;
  const isSecret = kind === "Secret";
  const { data, binaryData } = object as Partial<Record<"data" | "binaryData", object>>;
  // Of a Secret both are bytes, in its revision too.
  const change = objectChange(kind, previous, object);
  return {
    metadata: {
      name: revisionName(revisionPrefix(kind, name), number),
      namespace,
      labels: { [KIND_LABEL]: kind, [NAME_LABEL]: labelValue(name) },
      ownerReferences: [{ apiVersion: "v1", kind, name, uid }],
    },
    object: { apiVersion: "v1", kind, name, uid, resourceVersion: String(cached.revision) },
    number,
    hash,
    author,
    changedAt: microTime(changedAtMs),
    summary: {
      added: [...change.added],
      changed: [...change.changed],
      removed: [...change.removed],
    },
    ...(!isSecret && hasKeys(data) && { data: data as Record<string, string> }),
    ...(isSecret && hasKeys(data) && { binaryData: data as Record<string, string> }),
    ...(!isSecret && hasKeys(binaryData) && { binaryData: binaryData as Record<string, string> }),
    ...(isSecret && { secret: true }),
  };
}

function hasKeys(values: object | undefined): boolean {
  return values !== undefined && Object.keys(values).length > 0;
}

/** When the object was last written, as far as it says so itself: to the second. */
export function lastWrittenMs({ object }: CachedObject): number | undefined {
  const { managedFields, creationTimestamp } = object.metadata;
  const times = [...(managedFields ?? []).map(({ time }) => time), creationTimestamp]
    .map((time) => Date.parse(time ?? ""))
    .filter((ms) => !Number.isNaN(ms));
  return times.length === 0 ? undefined : Math.max(...times);
}
