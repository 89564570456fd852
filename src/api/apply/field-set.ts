// Which fields of an object somebody owns: a tree of steps, in the very form in which managedFields carries it
// (`{"f:data":{".":{},"f:a":{}}}`), so that nothing is decoded to work on it. A step is a member if it leads nowhere
// further (`{}`) or has "." beside its children. Sets are never changed: operations share what stays the same, and
// give back their first argument itself if nothing changes. Their cost grows with the second argument.

import { sortElements } from "./path-element.ts";

export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export const emptySet: FieldSet = Object.freeze({});
const self = ".";

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) {
    return false;
  }
  return true;
}

/** Members of either. `a` must be in canonical order, and so is the result. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) {
    return a;
  }
  return isEmptySet(a) ? canonical(b) : mergeChildren(a, b);
}

/** Members of `a` that are not members of `b`. Children of a member of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  let changed: Map<string, FieldSet | undefined> | undefined;
  for (const element in b) {
    const own = a[element];
    const other = b[element];
    if (element === self || own === undefined || other === undefined) {
      continue;
    }
    const left = nodeDifference(own, other);
    if (left !== own) {
      changed ??= new Map();
      changed.set(element, left);
    }
  }
  return changed === undefined ? a : replaceChildren(a, changed);
}

/** Members of both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const both: Record<string, FieldSet> = {};
  for (const element in a) {
    const own = a[element];
    const other = b[element];
    if (element === self || own === undefined || other === undefined) {
      continue;
    }
    const content = intersection(own, other);
    if (isMember(own) && isMember(other)) {
      both[element] = asMember(content);
    } else if (!isEmptySet(content)) {
      both[element] = content;
    }
  }
  return both;
}

/** The steps below `element`, or the empty set. */
export function below(set: FieldSet, element: string): FieldSet {
  const node = set[element];
  return node !== undefined && hasChildren(node) ? node : emptySet;
}

export function hasMember(set: FieldSet, element: string): boolean {
  const node = set[element];
  return node !== undefined && isMember(node);
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) {
      return false;
    }
  }
  return path.length > 0 && isMember(node);
}

/** Every member, in canonical order, those of a node before those of its children. */
export function* pathsOf(set: FieldSet): Generator<readonly string[]> {
  yield* pathsBelow(canonical(set), []);
}

/** A set of these paths. */
export function setOfPaths(paths: Iterable<readonly string[]>): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) {
    builder.insert(path);
  }
  return canonical(builder.set);
}

/** The same set with its steps sorted, as the API writes them. */
export function canonical(set: FieldSet): FieldSet {
  const sorted: Record<string, FieldSet> = {};
  for (const element of sortElements(Object.keys(set))) {
    sorted[element] = canonical(set[element] ?? emptySet);
  }
  return sorted;
}

/** Makes the step a member besides what it leads to. */
export function asMember(node: FieldSet): FieldSet {
  return isMember(node) ? node : { [self]: emptySet, ...node };
}

/** Collects paths. Its steps are not in canonical order. */
export class FieldSetBuilder {
  readonly set: MutableSet = {};
  /** The nodes that are not empty. Asking an object with 100,000 keys whether it has one costs as many steps. */
  readonly #filled = new Set<MutableSet>();

  get isEmpty(): boolean {
    return !this.#filled.has(this.set);
  }

  /** The empty path is not a member of anything. */
  insert(path: readonly string[]): void {
    let node = this.set;
    for (const [depth, element] of path.entries()) {
      const next = node[element];
      const isLast = depth === path.length - 1;
      if (next === undefined) {
        this.#filled.add(node);
        node = node[element] = {};
        continue;
      }
      // What is there without children is a member, and has to say so once it gets children.
      if (this.#filled.has(next) === isLast) {
        next[self] = {};
        this.#filled.add(next);
      }
      node = next;
    }
  }
}

interface MutableSet {
  [element: string]: MutableSet;
}

function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmptySet(node);
}

function hasChildren(node: FieldSet): boolean {
  for (const element in node) {
    if (element !== self) {
      return true;
    }
  }
  return false;
}

function nodeUnion(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) {
    return asMember(a);
  }
  return isEmptySet(a) ? asMember(canonical(b)) : mergeChildren(a, b);
}

function mergeChildren(a: FieldSet, b: FieldSet): FieldSet {
  let changed: Map<string, FieldSet | undefined> | undefined;
  let added = false;
  for (const element in b) {
    const other = b[element] ?? emptySet;
    const own = a[element];
    const merged = own === undefined ? canonical(other) : nodeUnion(own, other);
    if (merged !== own) {
      changed ??= new Map();
      changed.set(element, merged);
      added ||= own === undefined;
    }
  }
  if (changed === undefined) {
    return a;
  }
  return added ? withAdded(a, changed) : replaceChildren(a, changed);
}

function withAdded(a: FieldSet, changed: ReadonlyMap<string, FieldSet | undefined>): FieldSet {
  const elements = new Set([...Object.keys(a), ...changed.keys()]);
  const merged: Record<string, FieldSet> = {};
  for (const element of sortElements([...elements])) {
    merged[element] = changed.get(element) ?? a[element] ?? emptySet;
  }
  return merged;
}

/** Undefined if nothing is left. */
function nodeDifference(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const keepsSelf = isMember(a) && !isMember(b);
  const content = difference(a, b);
  if (!hasChildren(content)) {
    return keepsSelf ? selfOnly(a) : undefined;
  }
  if (keepsSelf || content[self] === undefined) {
    return content;
  }
  return replaceChildren(content, new Map([[self, undefined]]));
}

function selfOnly(node: FieldSet): FieldSet {
  return isEmptySet(node) ? node : emptySet;
}

function replaceChildren(
  set: FieldSet,
  changed: ReadonlyMap<string, FieldSet | undefined>,
): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element in set) {
    const child = changed.has(element) ? changed.get(element) : set[element];
    if (child !== undefined) {
      result[element] = child;
    }
  }
  return result;
}

function* pathsBelow(set: FieldSet, path: readonly string[]): Generator<readonly string[]> {
  const children = Object.entries(set).filter(([element]) => element !== self);
  for (const [element, node] of children) {
    if (isMember(node)) {
      yield [...path, element];
    }
  }
  for (const [element, node] of children) {
    yield* pathsBelow(node, [...path, element]);
  }
}
