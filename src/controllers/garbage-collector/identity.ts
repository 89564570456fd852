// By what the garbage collector knows an object: what an owner reference says of its owner, and the namespace that it must be in.

import type { OwnerReference } from "../../api/types.ts";

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" for what is in no namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The owner that a reference means, if the owner is in this namespace. */
export function ownerIdentity(reference: OwnerReference, namespace: string): Identity {
  const { apiVersion, kind, name, uid } = reference;
  return { apiVersion, kind, namespace, name, uid };
}

/** As events and logs show it. */
export function identityText({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

export function isSameIdentity(a: Identity, b: Identity): boolean {
  return a.namespace === b.namespace && matches(a, b);
}

/** Whether the reference names this owner, the namespace aside. */
export function matches(reference: Omit<Identity, "namespace">, owner: Identity): boolean {
  return (
    reference.uid === owner.uid &&
    reference.name === owner.name &&
    reference.kind === owner.kind &&
    reference.apiVersion === owner.apiVersion
  );
}

/** Kinds before namespaces, so that those of one kind are neighbours wherever they are. */
export function compareIdentities(a: Identity, b: Identity): number {
  for (const field of ["kind", "apiVersion", "namespace", "name", "uid"] as const) {
    if (a[field] !== b[field]) return a[field] < b[field] ? -1 : 1;
  }
  return 0;
}
