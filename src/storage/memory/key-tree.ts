// An ordered map that never changes: a write makes a new one, which shares all but a few nodes with the
// old. So every past state can be kept for little, and each can be read like the present one. The tree is
// balanced by the number of nodes on both sides, which also counts keys without visiting them.

import { compareKeys } from "../key-order.ts";

interface Node<T> {
  readonly key: string;
  readonly value: T;
  /** How many nodes there are, with this one. */
  readonly size: number;
  readonly left: KeyTree<T>;
  readonly right: KeyTree<T>;
}

/** Undefined is the empty one. */
export type KeyTree<T> = Node<T> | undefined;

/**
 * One side has at most so many times the nodes of the other. This and the next go together: 3 and 2 are
 * proven.
 */
const MAX_RATIO = 3;
/** When the inner side of the larger side has so many times the nodes of the outer, it has to be split. */
const SPLIT_RATIO = 2;

export function sizeOf(tree: KeyTree<unknown>): number {
  return tree?.size ?? 0;
}

export function find<T>(tree: KeyTree<T>, key: string): T | undefined {
  let node = tree;
  while (node !== undefined) {
    const order = compareKeys(key, node.key);
    if (order === 0) return node.value;
    node = order < 0 ? node.left : node.right;
  }
  return undefined;
}

/** With the key, whether it was there or not. */
export function insert<T>(tree: KeyTree<T>, key: string, value: T): KeyTree<T> {
  if (tree === undefined) return { key, value, size: 1, left: undefined, right: undefined };
  const order = compareKeys(key, tree.key);
  if (order === 0) return { ...tree, value };
  return order < 0
    ? balance(tree, insert(tree.left, key, value), tree.right)
    : balance(tree, tree.left, insert(tree.right, key, value));
}

/** Without the key, whether it was there or not. */
export function remove<T>(tree: KeyTree<T>, key: string): KeyTree<T> {
  if (tree === undefined) return undefined;
  const order = compareKeys(key, tree.key);
  if (order < 0) return balance(tree, remove(tree.left, key), tree.right);
  if (order > 0) return balance(tree, tree.left, remove(tree.right, key));
  const next = first(tree.right);
  return next === undefined ? tree.left : balance(next, tree.left, remove(tree.right, next.key));
}

/** How many keys come before this one. */
export function countBefore(tree: KeyTree<unknown>, key: string): number {
  let count = 0;
  for (let node = tree; node !== undefined; ) {
    if (compareKeys(node.key, key) < 0) {
      count += sizeOf(node.left) + 1;
      node = node.right;
    } else {
      node = node.left;
    }
  }
  return count;
}

/** The values from the `from`th to the one before the `to`th, in the order of their keys. */
export function slice<T>(tree: KeyTree<T>, from: number, to: number): T[] {
  const values: T[] = [];
  collect(tree, { from, to, values });
  return values;
}

function collect<T>(tree: KeyTree<T>, wanted: { from: number; to: number; values: T[] }): void {
  const { from, to, values } = wanted;
  if (tree === undefined || from >= tree.size || to <= 0) return;
  const here = sizeOf(tree.left);
  collect(tree.left, wanted);
  if (from <= here && here < to) values.push(tree.value);
  collect(tree.right, { from: from - here - 1, to: to - here - 1, values });
}

function first<T>(tree: KeyTree<T>): KeyTree<T> {
  let node = tree;
  while (node?.left !== undefined) node = node.left;
  return node;
}

type Entry<T> = Pick<Node<T>, "key" | "value">;

function join<T>({ key, value }: Entry<T>, left: KeyTree<T>, right: KeyTree<T>): Node<T> {
  return { key, value, size: sizeOf(left) + sizeOf(right) + 1, left, right };
}

/** Joins two sides of which one has a node more or less than when they were balanced. */
function balance<T>(middle: Entry<T>, left: KeyTree<T>, right: KeyTree<T>): Node<T> {
  if (isTooLarge(right, left)) return rotateLeft(middle, left, right);
  if (isTooLarge(left, right)) return rotateRight(middle, left, right);
  return join(middle, left, right);
}

function isTooLarge<T>(side: KeyTree<T>, other: KeyTree<T>): side is Node<T> {
  const both = sizeOf(side) + sizeOf(other);
  return both > 1 && sizeOf(side) > MAX_RATIO * sizeOf(other);
}

function rotateLeft<T>(middle: Entry<T>, left: KeyTree<T>, right: Node<T>): Node<T> {
  const inner = right.left;
  if (inner === undefined || inner.size < SPLIT_RATIO * sizeOf(right.right)) {
    return join(right, join(middle, left, inner), right.right);
  }
  return join(inner, join(middle, left, inner.left), join(right, inner.right, right.right));
}

function rotateRight<T>(middle: Entry<T>, left: Node<T>, right: KeyTree<T>): Node<T> {
  const inner = left.right;
  if (inner === undefined || inner.size < SPLIT_RATIO * sizeOf(left.left)) {
    return join(left, left.left, join(middle, inner, right));
  }
  return join(inner, join(left, left.left, inner.left), join(middle, inner.right, right));
}
