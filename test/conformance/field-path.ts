// Where a value is in an answer: metadata.labels.app, items[0], metadata.annotations["a.b/c"], items[*].metadata.name for
// the list of all of them, items[kind=Pod] for the first one with that, "." for the whole.

import { isJsonObject, type JsonValue } from "../../src/api/json.ts";

const part = /^\.?(?:\[(\d+)\]|\[(\*)\]|\[(\w+=[^\]]*)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+))/;

/** Undefined where there is nothing; an item of `[*]` without the field counts as null. */
export function valueAt(root: JsonValue | undefined, path: string): JsonValue | undefined {
  if (root === undefined || path === "" || path === ".") return root;
  const found = part.exec(path);
  if (found === null) throw new Error(`Cannot follow "${path}": it is no path`);
  const [taken, index, each, chosen, quoted, name = ""] = found;
  const rest = path.slice(taken.length);
  if (quoted !== undefined) return fieldOf(root, JSON.parse(`"${quoted}"`) as string, rest);
  if (name !== "") return fieldOf(root, name, rest);
  if (!Array.isArray(root)) return undefined;
  if (each !== undefined) return root.map((item) => valueAt(item, rest) ?? null);
  return valueAt(chosen === undefined ? root[Number(index)] : firstWith(root, chosen), rest);
}

function fieldOf(root: JsonValue, name: string, rest: string): JsonValue | undefined {
  return isJsonObject(root) ? valueAt(root[name], rest) : undefined;
}

function firstWith(items: readonly JsonValue[], chosen: string): JsonValue | undefined {
  const [key = "", ...value] = chosen.split("=");
  return items.find((item) => isJsonObject(item) && item[key] === value.join("="));
}
