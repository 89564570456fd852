// Fields that nobody owns: those by which the server identifies an object, and those that a write through this
// endpoint does not change (the status through the main one, the rest through the status).

import { difference, type FieldSet, setOfPaths } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

/** By name of the field: all of it, or only some of what is in it. */
export interface FieldTree extends ReadonlyMap<string, FieldTree | "all"> {}

export interface IgnoredFields {
  /** What the strategy of the endpoint takes from the old object, whatever the new one says. */
  readonly reset: FieldTree;
  /** And besides, what identifies the object: changes of these are nobody's. */
  readonly all: FieldTree;
}

const identity = [
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.creationTimestamp",
  "metadata.selfLink",
  "metadata.uid",
  "metadata.clusterName",
  "metadata.generation",
  "metadata.managedFields",
  "metadata.resourceVersion",
] as const;

/** What a strategy resets: `resetFields("status")`. Made once for each endpoint, not for each write. */
export function resetFields(...paths: readonly string[]): IgnoredFields {
  return { reset: treeOf(paths), all: treeOf([...identity, ...paths]) };
}

export const nothingReset: IgnoredFields = resetFields();

const identitySet = setOfPaths(
  [...identity, "metadata"].map((path) => path.split(".").map(fieldElement)),
);

/** The set without what identifies the object. */
export function withoutIdentity(set: FieldSet): FieldSet {
  return difference(set, identitySet);
}

/** The set without these fields and all that is in them. */
export function withoutFields(set: FieldSet, tree: FieldTree): FieldSet {
  const result: Record<string, FieldSet> = { ...set };
  for (const [name, what] of tree) {
    const element = fieldElement(name);
    const node = set[element];
    if (node === undefined) {
      continue;
    }
    const rest = what === "all" ? {} : withoutFields(node, what);
    // A node that has no steps left is a member, unless it only led to what is gone.
    if (what !== "all" && Object.keys(rest).length >= Math.min(1, Object.keys(node).length)) {
      result[element] = rest;
    } else {
      delete result[element];
    }
  }
  return result;
}

function treeOf(paths: readonly string[]): FieldTree {
  const tree = new Map<string, FieldTree | "all">();
  for (const head of new Set(paths.map((path) => path.split(".")[0] ?? ""))) {
    const tails = paths.filter((path) => path.startsWith(`${head}.`));
    tree.set(
      head,
      paths.includes(head) ? "all" : treeOf(tails.map((path) => path.slice(head.length + 1))),
    );
  }
  return tree;
}
