// Who owns whom, as far as the watches have told. It decides nothing by itself but who has to be looked at: the server is asked about
// each before anything is done.
//
// Invariants: a node is among the dependents of every owner that it names and that has a node, and of no other; an owner that nobody
// has seen has a virtual node while somebody names it, until it is known that there is none.

import { isDeepStrictEqual } from "node:util";
import type { ApiObject } from "../../api/object.ts";
import type { OwnerReference } from "../../api/types.ts";
import {
  alternateIdentity,
  FOREGROUND_FINALIZER,
  type GraphNode,
  isGoingBy,
  newNode,
  ORPHAN_FINALIZER,
  partitionDependents,
} from "./graph-node.ts";
import { type Identity, isSameIdentity, matches, ownerIdentity } from "./identity.ts";

/** What follows from a change. */
export interface GraphListener {
  /** It may have to be deleted, or to let go of its dependents: look at it. */
  lookAt(node: GraphNode): void;
  /** The same, but what it depends on will take a moment. */
  lookAtLater(node: GraphNode): void;
  /** Its dependents are to stay: take it from their owners. */
  orphan(node: GraphNode): void;
  /** It is certain that there is no such owner. */
  isAbsent(owner: Identity): void;
  /** The owner is in another namespace, where it cannot be an owner. */
  isInvalid(dependent: Identity, owner: Identity): void;
}

export class DependencyGraph {
  readonly #listener: GraphListener;
  readonly #nodes = new Map<string, GraphNode>();

  constructor(listener: GraphListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** A watch told of it; `before` is what it told the last time. */
  observe(identity: Identity, object: ApiObject, before?: ApiObject): void {
    let node = this.#nodes.get(identity.uid);
    if (node === undefined) {
      node = newNode(identity, false);
      this.#nodes.set(identity.uid, node);
    } else if (node.isVirtual) {
      this.#meet(node, identity);
    }
    this.#setOwners(node, object.metadata.ownerReferences ?? []);
    node.isBeingDeleted ||= object.metadata.deletionTimestamp != null;
    this.#follow(node, object, before);
  }

  /** A watch told that it is gone; not certain if nobody saw it go. */
  remove(uid: string, isCertain: boolean): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    if (isCertain || node.dependents.size === 0) this.#drop(node);
    else this.lose(uid);
  }

  /** The server was asked and has no such object. */
  confirmAbsent(identity: Identity): void {
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) return;
    const { matching, other } = partitionDependents(node.dependents, identity);
    const isSame = isSameIdentity(node.identity, identity);
    if (node.isVirtual ? other.length === 0 : isSame) {
      this.#drop(node);
      return;
    }
    // It may be there under another name that its dependents have for it.
    if (matching.length > 0) this.#listener.isAbsent(identity);
    for (const dependent of matching) this.#listener.lookAt(dependent);
    const alternate = node.isVirtual && isSame ? alternateIdentity(other, identity) : undefined;
    if (alternate === undefined) return;
    node.identity = alternate;
    this.#listener.lookAtLater(node);
  }

  /** Nobody watches it any more: it counts as much as any owner that was never seen, and for nothing if nobody names it. */
  lose(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    if (node.dependents.size === 0) {
      this.#drop(node);
      return;
    }
    node.isVirtual = true;
    this.#listener.lookAt(node);
  }

  /** What dependents said of it may have been wrong. */
  #meet(node: GraphNode, identity: Identity): void {
    node.isVirtual = false;
    if (isSameIdentity(node.identity, identity)) return;
    node.identity = identity;
    for (const dependent of partitionDependents(node.dependents, identity).other) {
      if (isElsewhere(dependent, identity)) this.#tellInvalid(dependent, identity.uid);
      this.#listener.lookAt(dependent);
    }
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const before = node.owners;
    node.owners = owners;
    const now = new Map(owners.map((owner) => [owner.uid, owner]));
    for (const old of before) {
      const next = now.get(old.uid);
      const owner = this.#nodes.get(old.uid);
      if (owner === undefined) continue;
      if (next === undefined) this.#detach(node, owner);
      const isUnblocked = old.blockOwnerDeletion === true && next?.blockOwnerDeletion !== true;
      if (isUnblocked && owner.isDeletingDependents) this.#listener.lookAt(owner);
    }
    const known = new Map(before.map((owner) => [owner.uid, owner]));
    const added = owners.filter((owner) => !isDeepStrictEqual(known.get(owner.uid), owner));
    // Each of them may be doubtful, and the node has to be looked at only once.
    const doubtful = added.filter((owner) => this.#attach(node, owner));
    if (doubtful.length > 0) this.#listener.lookAt(node);
  }

  /** Says whether the owner that is known may be another one than the reference means. */
  #attach(node: GraphNode, reference: OwnerReference): boolean {
    const { namespace } = node.identity;
    const owner = this.#nodes.get(reference.uid);
    if (owner === undefined) {
      const virtual = newNode(ownerIdentity(reference, namespace), true);
      virtual.dependents.add(node);
      this.#nodes.set(reference.uid, virtual);
      this.#listener.lookAt(virtual);
      return false;
    }
    owner.dependents.add(node);
    if (isElsewhere(node, owner.identity)) {
      if (!owner.isVirtual) this.#tellInvalid(node, reference.uid);
      return true;
    }
    if (!matches(reference, owner.identity)) return true;
    // Named first by something outside of namespaces: nobody knows yet whether the kind is in them.
    return owner.isVirtual && owner.identity.namespace !== namespace;
  }

  #detach(node: GraphNode, owner: GraphNode): void {
    owner.dependents.delete(node);
    const { isVirtual, dependents, owners, identity } = owner;
    if (isVirtual && dependents.size === 0 && owners.length === 0) this.#nodes.delete(identity.uid);
  }

  #follow(node: GraphNode, object: ApiObject, before: ApiObject | undefined): void {
    const begins = (finalizer: string): boolean =>
      isGoingBy(object, finalizer) && !(before !== undefined && isGoingBy(before, finalizer));
    if (begins(ORPHAN_FINALIZER)) {
      this.#listener.orphan(node);
      return;
    }
    node.isDeletingDependents ||= isGoingBy(object, FOREGROUND_FINALIZER);
    if (!begins(FOREGROUND_FINALIZER)) return;
    for (const dependent of node.dependents) this.#listener.lookAt(dependent);
    this.#listener.lookAt(node);
  }

  #drop(node: GraphNode): void {
    const { identity, dependents, owners } = node;
    this.#nodes.delete(identity.uid);
    for (const { uid } of owners) {
      const owner = this.#nodes.get(uid);
      if (owner === undefined) continue;
      this.#detach(node, owner);
      if (owner.isDeletingDependents) this.#listener.lookAt(owner);
    }
    if (dependents.size === 0) return;
    this.#listener.isAbsent(identity);
    for (const dependent of dependents) this.#listener.lookAt(dependent);
  }

  #tellInvalid(dependent: GraphNode, uid: string): void {
    const reference = dependent.owners.find((owner) => owner.uid === uid);
    if (reference === undefined) return;
    const { identity } = dependent;
    this.#listener.isInvalid(identity, ownerIdentity(reference, identity.namespace));
  }
}

function isElsewhere(dependent: GraphNode, owner: Identity): boolean {
  return owner.namespace !== "" && owner.namespace !== dependent.identity.namespace;
}
