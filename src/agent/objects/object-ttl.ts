// How long the strategy Cache may use what it has: the cluster says so on the node, larger clusters longer.

import type { Node } from "../../api/types.ts";
import { entry } from "../../api/validation/absent.ts";

const TTL_ANNOTATION = "node.alpha.kubernetes.io/ttl";
/** As the kubelet. */
const DEFAULT_MS = 60_000;
/** What Go's Atoi takes. */
const WHOLE_NUMBER = /^[+-]?\d+$/;

/** Undefined: the node does not say. */
export function objectTtlMs(node: Node | undefined): number | undefined {
  const value = entry(node?.metadata.annotations, TTL_ANNOTATION);
  return value !== undefined && WHOLE_NUMBER.test(value) ? Number(value) * 1000 : undefined;
}

/** Asks the node anew each time: a change counts at once. `node` gives undefined while it is not known. */
export function ttlOfNode(node: () => Node | undefined): () => number {
  return () => objectTtlMs(node()) ?? DEFAULT_MS;
}
