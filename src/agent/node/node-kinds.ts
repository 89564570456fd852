// The two objects by which a node is seen.

import type { ApiObject } from "../../api/object.ts";
import type { Lease, Node } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";

export type NodeObject = ApiObject & Node;
export type LeaseObject = ApiObject & Lease;

export const NODES: ResourceKind = {
  group: "",
  version: "v1",
  kind: "Node",
  resource: "nodes",
  namespaced: false,
};

export const LEASES: ResourceKind = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  namespaced: true,
};
