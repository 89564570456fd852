// What a ControllerRevision remembers of a DaemonSet: a strategic merge patch that brings its pod template back. Clients send it as
// it is to roll back.

import type { JsonObject, JsonValue } from "../../api/json.ts";
import type { DaemonSet } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { controllerReference } from "../../controller/owner.ts";
import { templateHash } from "../pods/template-hash.ts";
import {
  CONTROLLER_REVISION,
  DAEMON_SET,
  type DaemonSetObject,
  HASH_LABEL,
  type RevisionObject,
} from "./daemon-set-object.ts";

/** What of the set's name fits into a revision's. */
const MAX_NAME_LENGTH = 223;

function revisionData({ spec }: DaemonSet): JsonObject {
  const template = { ...spec.template, $patch: "replace" } as JsonObject;
  return { spec: { template } };
}

/** It remembers the template that the set has now. */
export function isOf(
  set: DaemonSet,
  { data }: { readonly data?: JsonValue | null | undefined },
): boolean {
  return semanticEqual(revisionData(set), data);
}

export function newestRevision(revisions: readonly RevisionObject[]): number {
  return Math.max(0, ...revisions.map(({ revision }) => revision));
}

export function hashOf({ metadata }: RevisionObject): string {
  return metadata.labels?.[HASH_LABEL] ?? "";
}

/** To be made for the template that the set has now. */
export function revisionOf(set: DaemonSetObject, revision: number): RevisionObject {
  const { namespace, name = "", annotations } = set.metadata;
  const { template } = set.spec;
  const hash = templateHash(template, set.status.collisionCount);
  const made = {
    apiVersion: "apps/v1",
    kind: CONTROLLER_REVISION.kind,
    metadata: {
      name: `${name.slice(0, MAX_NAME_LENGTH)}-${hash}`,
      namespace,
      labels: { ...template.metadata.labels, [HASH_LABEL]: hash },
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(DAEMON_SET, set)],
    },
    data: revisionData(set),
    revision,
  };
  return made as unknown as RevisionObject;
}

/**
 * Those to delete so that `limit` remain, the oldest first. One that pods were made by is kept, and does not count as deleted: the
 * next in age goes in its place.
 */
export function outlived(
  old: readonly RevisionObject[],
  { limit, liveHashes }: { readonly limit: number; readonly liveHashes: ReadonlySet<string> },
): readonly RevisionObject[] {
  const surplus = Math.max(0, old.length - limit);
  return old
    .toSorted((a, b) => a.revision - b.revision)
    .filter((revision) => !liveHashes.has(hashOf(revision)))
    .slice(0, surplus);
}
