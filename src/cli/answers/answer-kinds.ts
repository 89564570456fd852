// The kinds that answers are made of, for servers of any make.

import type { ResourceKind } from "../../client/resource-path.ts";

function core(kind: string, resource: string, namespaced = true): ResourceKind {
  return { group: "", version: "v1", kind, resource, namespaced };
}

function apps(kind: string, resource: string): ResourceKind {
  return { group: "apps", version: "v1", kind, resource, namespaced: true };
}

function ours(kind: string, resource: string): ResourceKind {
  return { group: "driftless.dev", version: "v1", kind, resource, namespaced: true };
}

export const CONFIG_MAPS: ResourceKind = core("ConfigMap", "configmaps");
export const SECRETS: ResourceKind = core("Secret", "secrets");
export const NODES: ResourceKind = core("Node", "nodes", false);
export const REPLICA_SETS: ResourceKind = apps("ReplicaSet", "replicasets");
export const CONFIG_VIEWS: ResourceKind = ours("ConfigView", "configviews");
export const CONFIG_REVISIONS: ResourceKind = ours("ConfigRevision", "configrevisions");
export const DELIVERY_POLICIES: ResourceKind = ours("DeliveryPolicy", "deliverypolicies");

/** Those that make pods from a template and replace them when it changes. */
export const WORKLOADS: readonly ResourceKind[] = [
  apps("Deployment", "deployments"),
  apps("DaemonSet", "daemonsets"),
  apps("StatefulSet", "statefulsets"),
];
