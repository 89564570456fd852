// One object in the graph of owners and dependents, or what its dependents say of it when nobody has seen it yet.

import type { ApiObject } from "../../api/object.ts";
import type { OwnerReference } from "../../api/types.ts";
import {
  compareIdentities,
  type Identity,
  isSameIdentity,
  matches,
  ownerIdentity,
} from "./identity.ts";

/** Set by whoever deletes with propagationPolicy Foreground. */
export const FOREGROUND_FINALIZER = "foregroundDeletion";
/** Set by whoever deletes with propagationPolicy Orphan. */
export const ORPHAN_FINALIZER = "orphan";

export interface GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  /** Those that have it among their owners. */
  readonly dependents: Set<GraphNode>;
  /** Known only from references to it: it may be elsewhere, of another kind, or not exist. */
  isVirtual: boolean;
  isBeingDeleted: boolean;
  /** It goes after its dependents. */
  isDeletingDependents: boolean;
}

export function newNode(identity: Identity, isVirtual: boolean): GraphNode {
  return {
    ...{ identity, isVirtual },
    owners: [],
    dependents: new Set(),
    isBeingDeleted: false,
    isDeletingDependents: false,
  };
}

/** Deletion was asked for, and this finalizer says how it is to go on. */
export function isGoingBy({ metadata }: ApiObject, finalizer: string): boolean {
  return metadata.deletionTimestamp != null && (metadata.finalizers ?? []).includes(finalizer);
}

/** Those that a foreground deletion of the node waits for. Those that wait for it in turn would do so for ever: they do not count. */
export function awaitedDependents(node: GraphNode): readonly GraphNode[] {
  return blockingDependents(node).filter((dependent) => !waitsFor(dependent, node));
}

function blockingDependents(node: GraphNode): readonly GraphNode[] {
  const { uid } = node.identity;
  return [...node.dependents].filter(({ owners }) =>
    owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
  );
}

/** Directly, or through others that wait. */
function waitsFor(waiting: GraphNode, target: GraphNode): boolean {
  const seen = new Set<GraphNode>();
  const pending = [waiting];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === target) return true;
    if (!node.isDeletingDependents || seen.has(node)) continue;
    seen.add(node);
    for (const dependent of blockingDependents(node)) pending.push(dependent);
  }
  return false;
}

/** Whether dependents mean this owner. One with two references to its uid may be in both. */
export function partitionDependents(
  dependents: Iterable<GraphNode>,
  owner: Identity,
): { readonly matching: readonly GraphNode[]; readonly other: readonly GraphNode[] } {
  const matching: GraphNode[] = [];
  const other: GraphNode[] = [];
  for (const dependent of dependents) {
    const isElsewhere = owner.namespace !== "" && owner.namespace !== dependent.identity.namespace;
    const meant = dependent.owners.filter(({ uid }) => uid === owner.uid);
    if (!isElsewhere && meant.some((reference) => matches(reference, owner))) {
      matching.push(dependent);
    }
    if (isElsewhere || meant.some((reference) => !matches(reference, owner))) {
      other.push(dependent);
    }
  }
  return { matching, other };
}

/** What else the dependents call the owner that is not what `absent` says: the next in order after it, or the first. */
export function alternateIdentity(
  dependents: readonly GraphNode[],
  absent: Identity,
): Identity | undefined {
  const isOfCluster = absent.namespace === "";
  const found = dependents
    .flatMap(({ owners, identity: { namespace } }) =>
      owners
        .filter(({ uid }) => uid === absent.uid)
        .map((reference) => {
          const isSameKind =
            reference.apiVersion === absent.apiVersion && reference.kind === absent.kind;
          return ownerIdentity(reference, isOfCluster && isSameKind ? "" : namespace);
        }),
    )
    .filter((identity) => !isSameIdentity(identity, absent))
    .sort(compareIdentities);
  return found.find((identity) => compareIdentities(absent, identity) < 0) ?? found[0];
}
