// How deep lists and objects are nested. Counted level by level, without recursion, so that the answer is there before
// anything that does recurse.

import type { JsonObject, JsonValue } from "../json.ts";

type Container = JsonObject | JsonValue[];

/** 0 for a scalar, 1 for an empty list or object. */
export function jsonDepth(root: JsonValue): number {
  let depth = 0;
  let level = isContainer(root) ? [root] : [];
  while (level.length > 0) {
    depth++;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return depth;
}

function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === "object" && value !== null;
}
