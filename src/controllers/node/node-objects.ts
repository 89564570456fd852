// Nodes and their leases as controllers read them from informers.

import type { ApiObject } from "../../api/object.ts";
import type { Lease, Node, NodeCondition } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { servedKind } from "../pods/pod-object.ts";

export type NodeObject = Node & ApiObject;
export type LeaseObject = Lease & ApiObject;

export const NODE: ResourceKind = servedKind("v1", "Node");
export const LEASE: ResourceKind = servedKind("coordination.k8s.io/v1", "Lease");
/** Where each node has a Lease of its name. */
export const LEASE_NAMESPACE = "kube-node-lease";

export function nodeCondition({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** "True", "False" or "Unknown"; undefined if nobody ever said. */
export function readyStatus(node: Node): string | undefined {
  return nodeCondition(node, "Ready")?.status;
}

/** As the API writes times: in seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
