// What becomes of an object with owners, once it is known of each owner whether it is there.

import type { ApiObject } from "../../api/object.ts";
import type { OwnerReference } from "../../api/types.ts";
import type { DeleteOptions } from "../../client/resource-client.ts";
import { FOREGROUND_FINALIZER, type GraphNode, ORPHAN_FINALIZER } from "./graph-node.ts";

/** There and staying, not there, or there but only until its dependents are gone. */
export type Standing = "solid" | "dangling" | "waiting";

export interface JudgedOwner {
  readonly reference: OwnerReference;
  readonly standing: Standing;
}

export type Policy = NonNullable<DeleteOptions["propagationPolicy"]>;

export type Verdict =
  | { readonly do: "keep" }
  /** It stays, without these owners. */
  | { readonly do: "release"; readonly uids: readonly string[] }
  | {
      readonly do: "delete";
      readonly policy: Policy;
      /** First nobody shall wait for it: it is in a circle of those who wait for each other. */
      readonly unblocks: boolean;
    };

/** `latest` is the object as the server has it, and `node` tells of its dependents. */
export function verdictOn(
  latest: ApiObject,
  owners: readonly JudgedOwner[],
  node: Pick<GraphNode, "dependents">,
): Verdict {
  if (owners.length === 0) return { do: "keep" };
  if (owners.some(({ standing }) => standing === "solid")) {
    // Those that wait have to be let go of as well: they would wait for ever for one that stays.
    const gone = owners.filter(({ standing }) => standing !== "solid");
    if (gone.length === 0) return { do: "keep" };
    return { do: "release", uids: gone.map(({ reference }) => reference.uid) };
  }
  const isAwaited = owners.some(({ standing }) => standing === "waiting");
  if (isAwaited && node.dependents.size > 0) {
    const isInCircle = [...node.dependents].some((dependent) => dependent.isDeletingDependents);
    return { do: "delete", policy: "Foreground", unblocks: isInCircle };
  }
  return { do: "delete", policy: standingPolicy(latest), unblocks: false };
}

/** What somebody asked for before. */
function standingPolicy({ metadata: { finalizers = [] } }: ApiObject): Policy {
  if (finalizers.includes(ORPHAN_FINALIZER)) return "Orphan";
  return finalizers.includes(FOREGROUND_FINALIZER) ? "Foreground" : "Background";
}
