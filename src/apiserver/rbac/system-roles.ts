// What clients need to find their way, and the parts of the system that are not controllers.

import type { PolicyRule } from "../../api/types.ts";
import { JOIN_PATH, RENEW_PATH } from "../join/join-api.ts";
import { NODE_PATHS } from "../node-access/tunnel-api.ts";
import { API_SERVER_USER, CONTROLLERS_USER } from "../pki/credentials.ts";
import { can, canCall, group, type PolicyEntry, systemAccount, user } from "./policy-entry.ts";
import { read } from "./user-roles.ts";

export const recordEvents: PolicyRule = can("create patch update", "core events.k8s.io", "events");

/**
 * The most that any node may ever do. The node authorizer narrows it to what the node's own pods use; nobody has
 * these rules through a binding.
 */
const nodeRules: readonly PolicyRule[] = [
  can("create", "authentication.k8s.io", "tokenreviews"),
  can("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
  can(read, "core", "services"),
  can(`create ${read}`, "core", "nodes"),
  can("patch update", "core", "nodes nodes/status"),
  recordEvents,
  can(`create delete ${read}`, "core", "pods"),
  can("patch update", "core", "pods/status"),
  can("create", "core", "pods/eviction"),
  can(read, "core", "configmaps secrets"),
  can("get", "core", "endpoints persistentvolumeclaims persistentvolumes serviceaccounts"),
  can("create", "core", "serviceaccounts/token"),
  can("create delete get patch update", "coordination.k8s.io", "leases"),
  can(`create delete patch update ${read}`, "driftless.dev", "configviews"),
  can(read, "driftless.dev", "configrevisions deliverypolicies"),
];

const forEverybody: readonly PolicyEntry[] = [
  {
    name: "system:discovery",
    allows: [
      canCall(
        "get",
        "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/",
      ),
    ],
    to: [group("system:authenticated")],
  },
  {
    name: "system:basic-user",
    allows: [
      can("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
      can("create", "authentication.k8s.io", "selfsubjectreviews"),
    ],
    to: [group("system:authenticated")],
  },
  {
    name: "system:public-info-viewer",
    allows: [canCall("get", "/healthz /livez /readyz /version /version/")],
    to: [group("system:authenticated"), group("system:unauthenticated")],
  },
];

const forNodes: readonly PolicyEntry[] = [
  // The binding is there without subjects, as in every cluster: the node authorizer decides.
  { name: "system:node", allows: nodeRules, to: [] },
  {
    name: "system:node-bootstrapper",
    allows: [canCall("post", JOIN_PATH)],
    to: [group("system:bootstrappers")],
  },
  {
    name: "driftless:node-renewer",
    allows: [canCall("post", RENEW_PATH)],
    to: [group("system:nodes")],
  },
  {
    // Each its own: the server looks at the name.
    name: "driftless:node-tunnel",
    allows: [canCall("get", NODE_PATHS)],
    to: [group("system:nodes")],
  },
  {
    // What a node that listens asks of its clients.
    name: "driftless:apiserver-to-nodes",
    allows: [can("create get", "core", "nodes/proxy")],
    to: [user(API_SERVER_USER)],
  },
];

const forServices: readonly PolicyEntry[] = [
  {
    name: "system:monitoring",
    allows: [
      canCall(
        "get",
        "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*",
      ),
      can("get", "core", "nodes/metrics"),
    ],
    to: [group("system:monitoring")],
  },
  {
    name: "system:auth-delegator",
    allows: [
      can("create", "authentication.k8s.io", "tokenreviews"),
      can("create", "authorization.k8s.io", "subjectaccessreviews"),
    ],
  },
  {
    name: "system:service-account-issuer-discovery",
    allows: [
      canCall(
        "get",
        `/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks
         /openid/v1/jwks/`,
      ),
    ],
    to: [group("system:serviceaccounts")],
  },
];

const scheduler: PolicyEntry = {
  name: "system:kube-scheduler",
  allows: [
    recordEvents,
    can("create", "coordination.k8s.io", "leases"),
    can("get list update watch", "coordination.k8s.io", "leases", "kube-scheduler"),
    can(read, "core", "namespaces nodes persistentvolumeclaims persistentvolumes"),
    can(`delete ${read}`, "core", "pods"),
    can("create", "core", "bindings pods/binding"),
    can("patch update", "core", "pods/status"),
    can(read, "core", "replicationcontrollers services"),
    can(read, "apps", "replicasets statefulsets"),
    can(read, "policy", "poddisruptionbudgets"),
  ],
  to: [user("system:kube-scheduler"), user(CONTROLLERS_USER)],
};

const controllerManager: PolicyEntry = {
  name: "system:kube-controller-manager",
  allows: [
    recordEvents,
    can("create", "coordination.k8s.io", "leases"),
    can("get update", "coordination.k8s.io", "leases", "kube-controller-manager"),
  ],
  to: [user("system:kube-controller-manager"), user(CONTROLLERS_USER)],
};

const inNamespaces: readonly PolicyEntry[] = [
  leaderLock("kube-controller-manager"),
  leaderLock("kube-scheduler"),
  {
    name: "system:controller:bootstrap-signer",
    namespace: "kube-public",
    allows: [
      can(read, "core", "configmaps"),
      can("update", "core", "configmaps", "cluster-info"),
      recordEvents,
    ],
    to: [systemAccount("bootstrap-signer")],
  },
];

function leaderLock(part: string): PolicyEntry {
  return {
    name: `system::leader-locking-${part}`,
    namespace: "kube-system",
    allows: [can("create get list update watch", "coordination.k8s.io", "leases")],
    to: [user(`system:${part}`), user(CONTROLLERS_USER), systemAccount(part)],
  };
}

export const systemRoles: readonly PolicyEntry[] = [
  ...forEverybody,
  ...forServices,
  ...forNodes,
  scheduler,
  controllerManager,
  ...inNamespaces,
];
