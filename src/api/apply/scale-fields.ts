// Ownership of the number of replicas, seen through the scale subresource: the owners of the one field in the object
// are the owners of spec.replicas in its Scale, and the other way round.

import type { ManagedFieldsEntry } from "../types.ts";
import { difference, type FieldSet, hasPath, isEmptySet, setOfPaths } from "./field-set.ts";
import { entryOf, identityOf, type Owner, ownerOf, setOf, sorted } from "./managed-fields.ts";
import { fieldElement } from "./path-element.ts";

const scaleVersion = "autoscaling/v1";
const replicasPath = ["spec", "replicas"].map(fieldElement);
const replicas = setOfPaths([replicasPath]);

export interface ScaledKind {
  /** Of the kind that is scaled. Entries of other versions are dropped. */
  readonly apiVersion: string;
  /** Where it has its replicas; "spec.replicas" for all kinds of ours. */
  readonly path: string;
}

/** The managedFields of the Scale of an object. */
export function scaleManagedFields(
  parent: readonly ManagedFieldsEntry[],
  kind: ScaledKind,
): ManagedFieldsEntry[] {
  const path = elementsOf(kind);
  const owners = parent.filter(
    (entry) => entry.apiVersion === kind.apiVersion && hasPath(setOf(entry), path),
  );
  return sorted(
    owners.map((entry) =>
      entryOf({ ...ownerOf(entry), apiVersion: scaleVersion }, replicas, entry.time),
    ),
  );
}

/**
 * The managedFields of the object after its Scale was written. New owners have no time, and an owner by update who
 * still owns the replicas gets them in an entry of its own: the API does it so.
 */
export function parentManagedFields(
  parent: readonly ManagedFieldsEntry[],
  scale: readonly ManagedFieldsEntry[],
  kind: ScaledKind,
): ManagedFieldsEntry[] {
  const path = elementsOf(kind);
  const field = setOfPaths([path]);
  const scaleOwners = new Map(scale.map((entry) => [identityOf(ownerOf(entry)), entry]));
  const entries: ManagedFieldsEntry[] = [];
  for (const entry of parent.filter(({ apiVersion }) => apiVersion === kind.apiVersion)) {
    if (!hasPath(setOf(entry), path) || scaleOwners.delete(identityOf(ownerOf(entry)))) {
      entries.push(entry);
    } else {
      entries.push(...withFields(entry, difference(setOf(entry), field)));
    }
  }
  for (const entry of scaleOwners.values()) {
    if (hasPath(setOf(entry), replicasPath)) {
      const owner: Owner = { ...ownerOf(entry), apiVersion: kind.apiVersion };
      entries.push(entryOf(owner, field, undefined));
    }
  }
  return sorted(entries);
}

function withFields(entry: ManagedFieldsEntry, fields: FieldSet): ManagedFieldsEntry[] {
  return isEmptySet(fields) ? [] : [{ ...entry, fieldsV1: fields }];
}

function elementsOf({ path }: ScaledKind): string[] {
  return path.split(".").map(fieldElement);
}
