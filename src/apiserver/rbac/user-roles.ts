// The roles that people are given: all of a cluster, or a namespace to administer, edit or view.
//
// Groups that this server does not serve are in them all the same. Whoever writes a Role has to hold what it grants,
// and manifests that people have grant them.

import { aggregateTo, can, canCall, group, type PolicyEntry } from "./policy-entry.ts";

export const read = "get list watch";
const write = "create delete deletecollection patch update";

/**
 * Looks at everything in a namespace but what shows the content of Secrets: ConfigRevisions keep what they were, and
 * exec and port-forward reach processes that have it.
 */
const view: PolicyEntry = {
  name: "system:aggregate-to-view",
  feeds: [aggregateTo("view")],
  allows: [
    can(
      read,
      "core",
      `configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers
       replicationcontrollers/scale serviceaccounts services services/status`,
    ),
    can(
      read,
      "core",
      `bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas
       resourcequotas/status`,
    ),
    can(read, "core", "namespaces"),
    can(read, "core events.k8s.io", "events"),
    can(read, "discovery.k8s.io", "endpointslices"),
    can(
      read,
      "apps",
      `controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status
       replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status`,
    ),
    can(read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
    can(read, "batch", "cronjobs cronjobs/status jobs jobs/status"),
    can(
      read,
      "extensions",
      `daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status
       networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale`,
    ),
    can(read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
    can(read, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
    can(read, "driftless.dev", "configviews deliverypolicies deliverypolicies/status"),
  ],
};

/** Not in it: status, quotas and limits, which are the system's, and everything about rights. */
const edit: PolicyEntry = {
  name: "system:aggregate-to-edit",
  feeds: [aggregateTo("edit")],
  allows: [
    can(read, "core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
    can("impersonate", "core", "serviceaccounts"),
    can(write, "core", "pods pods/attach pods/exec pods/portforward pods/proxy"),
    can("create", "core", "pods/eviction"),
    can(
      write,
      "core",
      `configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets
       serviceaccounts services services/proxy`,
    ),
    can("create", "core", "serviceaccounts/token"),
    can(write, "core events.k8s.io", "events"),
    can(
      write,
      "apps",
      `daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets
       statefulsets/scale`,
    ),
    can(write, "autoscaling", "horizontalpodautoscalers"),
    can(write, "batch", "cronjobs jobs"),
    can(
      write,
      "extensions",
      `daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets
       replicasets/scale replicationcontrollers/scale`,
    ),
    can(write, "policy", "poddisruptionbudgets"),
    can(write, "networking.k8s.io", "ingresses networkpolicies"),
    can(`${write} ${read}`, "coordination.k8s.io", "leases"),
    // Only the server writes revisions: a history that people can write proves nothing.
    can(read, "driftless.dev", "configrevisions"),
    can(write, "driftless.dev", "deliverypolicies"),
  ],
};

const admin: PolicyEntry = {
  name: "system:aggregate-to-admin",
  feeds: [aggregateTo("admin")],
  allows: [
    can("create", "authorization.k8s.io", "localsubjectaccessreviews"),
    can(`${write} ${read}`, "rbac.authorization.k8s.io", "rolebindings roles"),
  ],
};

export const userRoles: readonly PolicyEntry[] = [
  {
    name: "cluster-admin",
    allows: [can("*", "*", "*"), canCall("*", "*")],
    to: [group("system:masters")],
  },
  { name: "admin", collects: aggregateTo("admin") },
  { name: "edit", collects: aggregateTo("edit"), feeds: [aggregateTo("admin")] },
  { name: "view", collects: aggregateTo("view"), feeds: [aggregateTo("edit")] },
  admin,
  edit,
  view,
];
