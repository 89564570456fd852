// Which node asks: a user "system:node:NAME" of the group "system:nodes". One without the other is no node.

import type { UserInfo } from "../user.ts";

const NODES = "system:nodes";
const NODE_PREFIX = "system:node:";

/** The node's name; "" for a node that does not say which it is; undefined for everybody else. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith(NODE_PREFIX) || !groups.includes(NODES)) return undefined;
  return name.slice(NODE_PREFIX.length);
}
