// Deep merge of YAML or JSON. Maps are merged key by key and the later wins; lists and scalars are replaced, or lists appended; null in a later one removes a key.
// Keys keep the place that they had first, so that the result changes no more than its inputs do.

import { type Input, MakeError } from "./make-error.ts";
import { isNull, jsonOf, type Tree, treeOf, yamlOf } from "./tree.ts";

export interface MergeOptions {
  readonly format: "yaml" | "json";
  readonly lists: "replace" | "append";
}

const EMPTY: Tree = { type: "map", entries: new Map() };

export function merged(inputs: readonly Input[], { format, lists }: MergeOptions): Uint8Array {
  let result: Tree | undefined;
  for (const input of inputs) {
    const tree = treeOf(input);
    // An empty file or one with comments only says nothing.
    if (isNull(tree)) continue;
    if (tree.type !== "map" && inputs.length > 1) {
      throw new MakeError(`${input.address} is not a map at its top, so it cannot be merged`);
    }
    result = result === undefined ? tree : mergedTrees(result, tree, lists);
  }
  const whole = result ?? EMPTY;
  return Buffer.from(format === "json" ? `${jsonOf(whole)}\n` : yamlOf(whole));
}

/** `over` wins. What `under` has and `over` does not speak of stays as it is, nulls too. */
function mergedTrees(under: Tree, over: Tree, lists: MergeOptions["lists"]): Tree {
  if (over.type === "list" && under.type === "list" && lists === "append") {
    return { type: "list", items: [...under.items, ...over.items] };
  }
  if (over.type !== "map") return over;
  const entries = new Map(under.type === "map" ? under.entries : []);
  for (const [key, value] of over.entries) {
    if (isNull(value)) entries.delete(key);
    else entries.set(key, mergedTrees(entries.get(key) ?? EMPTY, value, lists));
  }
  return { type: "map", entries };
}
