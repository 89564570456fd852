// What is to be written of a node's status, given what the server has. Only what is ours is written: other conditions,
// resources that others found, and everything else in the status stay.

import type { NodeAddress, NodeCondition, NodeStatus } from "../../api/types.ts";
import type { MachineFacts } from "./node-facts.ts";

export interface NodeReport {
  readonly facts: Omit<MachineFacts, "labels">;
  readonly conditions: readonly NodeCondition[];
  /** On which the agent listens; 0 if it does not. */
  readonly port: number;
}

/** Whether the server should be told at once. That a node is still well can wait. */
export function isNews(
  held: Partial<NodeStatus>,
  { facts, conditions, port }: NodeReport,
): boolean {
  return (
    (held.daemonEndpoints?.kubeletEndpoint?.Port ?? 0) !== port ||
    !hasAll(held.capacity, facts.capacity) ||
    !hasAll(held.allocatable, facts.allocatable) ||
    goneSizes(held, facts).length > 0 ||
    !hasAll(held.nodeInfo, facts.nodeInfo) ||
    !isSameList(held.addresses ?? [], facts.addresses) ||
    !conditions.every((one) => isKnown(one, held.conditions ?? []))
  );
}

/** A strategic merge patch for the status. The uid makes sure that it is the Node that was looked at. */
export function statusPatch(
  { uid, status }: { readonly uid: string | undefined; readonly status: Partial<NodeStatus> },
  { facts, conditions, port }: NodeReport,
): object {
  const gone = Object.fromEntries(goneSizes(status, facts).map((name) => [name, null]));
  return {
    metadata: { uid },
    status: {
      capacity: { ...facts.capacity, ...gone },
      allocatable: { ...facts.allocatable, ...gone },
      // Merged by type they would lose the second of two addresses of one type.
      addresses: [...facts.addresses, { $patch: "replace" }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      nodeInfo: facts.nodeInfo,
      conditions,
    },
  };
}

/** Sizes of huge pages that a kernel before this one knew. */
function goneSizes(
  held: Partial<NodeStatus>,
  { capacity }: Pick<MachineFacts, "capacity">,
): readonly string[] {
  return Object.keys(held.capacity ?? {}).filter(
    (name) => name.startsWith("hugepages-") && capacity[name] === undefined,
  );
}

function hasAll(held: object | undefined, ours: object): boolean {
  const values = new Map<string, unknown>(Object.entries(held ?? {}));
  return Object.entries(ours).every(([key, value]) => values.get(key) === value);
}

function isSameList(held: readonly NodeAddress[], ours: readonly NodeAddress[]): boolean {
  return (
    held.length === ours.length &&
    ours.every(({ type, address }, i) => held[i]?.type === type && held[i]?.address === address)
  );
}

function isKnown(
  { type, status, reason, message }: NodeCondition,
  held: readonly NodeCondition[],
): boolean {
  return held.some(
    (one) =>
      one.type === type &&
      one.status === status &&
      one.reason === reason &&
      one.message === message,
  );
}
