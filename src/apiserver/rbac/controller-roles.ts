// One role per controller, with the least that it works with, for the service account of its name in kube-system.
// Where one process runs all of them, its user has their union, which is collected by label.

import type { PolicyRule } from "../../api/types.ts";
import { CONTROLLERS_USER } from "../pki/credentials.ts";
import { can, type PolicyEntry, systemAccount, user } from "./policy-entry.ts";
import { recordEvents } from "./system-roles.ts";
import { read } from "./user-roles.ts";

const collected = "driftless.dev/aggregate-to-controllers";

const kubernetes: Readonly<Record<string, readonly PolicyRule[]>> = {
  "daemon-set-controller": [
    can(read, "apps", "daemonsets"),
    can("update", "apps", "daemonsets/finalizers daemonsets/status"),
    can("list watch", "core", "nodes"),
    can("create delete list patch watch", "core", "pods"),
    can("create", "core", "pods/binding"),
    can(`create delete patch update ${read}`, "apps", "controllerrevisions"),
    recordEvents,
  ],
  "deployment-controller": [
    can(`update ${read}`, "apps", "deployments"),
    can("update", "apps", "deployments/finalizers deployments/status"),
    can(`create delete patch update ${read}`, "apps", "replicasets"),
    can(`update ${read}`, "core", "pods"),
    recordEvents,
  ],
  "disruption-controller": [
    can(read, "apps", "deployments replicasets"),
    can(read, "core", "pods"),
    can(read, "policy", "poddisruptionbudgets"),
    can("update", "policy", "poddisruptionbudgets/status"),
    recordEvents,
  ],
  // Anything may own anything.
  "generic-garbage-collector": [can(`delete patch update ${read}`, "*", "*"), recordEvents],
  // Empties a namespace of whatever is in it.
  "namespace-controller": [
    can(`delete ${read}`, "core", "namespaces"),
    can("update", "core", "namespaces/finalize namespaces/status"),
    can(`delete deletecollection ${read}`, "*", "*"),
  ],
  "node-controller": [
    can(`delete patch update ${read}`, "core", "nodes"),
    can("patch update", "core", "nodes/status pods/status"),
    can(`delete ${read}`, "core", "pods"),
    can(read, "coordination.k8s.io", "leases"),
    recordEvents,
  ],
  "pod-garbage-collector": [
    can("delete list watch", "core", "pods"),
    can(read, "core", "nodes"),
    can("patch", "core", "pods/status"),
  ],
  "replicaset-controller": [
    can(`update ${read}`, "apps", "replicasets"),
    can("update", "apps", "replicasets/finalizers replicasets/status"),
    can("create delete list patch watch", "core", "pods"),
    recordEvents,
  ],
  "root-ca-cert-publisher": [
    can("create update", "core", "configmaps"),
    can("list watch", "core", "configmaps namespaces"),
    recordEvents,
  ],
  "service-account-controller": [
    can("create", "core", "serviceaccounts"),
    can("list watch", "core", "namespaces serviceaccounts"),
    recordEvents,
  ],
};

const ours: Readonly<Record<string, readonly PolicyRule[]>> = {
  // The original does this as the controller manager itself, with all Secrets.
  "token-secret-controller": [
    can(read, "core", "serviceaccounts"),
    can("create", "core", "serviceaccounts/token"),
    can("delete list update watch", "core", "secrets"),
  ],
  // Says in the views of a node that is away that it is; its agent, when it is back, takes that back.
  "config-view-controller": [
    can("list watch", "core", "nodes pods"),
    can("list patch", "driftless.dev", "configviews"),
  ],
  // Keeps immutable copies of what asks for it, and removes one when nothing refers to it any more. Makes no Secrets: who makes one can
  // have a token of any account in it. docs/versioned-configmaps.md says how to allow it.
  "versioned-controller": [
    can("create", "core", "configmaps"),
    can(`delete patch ${read}`, "core", "configmaps secrets"),
    can(`patch ${read}`, "apps", "daemonsets deployments statefulsets"),
    can(read, "apps", "controllerrevisions replicasets"),
    can("list", "batch", "cronjobs jobs"),
    can("list watch", "core", "pods"),
    recordEvents,
  ],
  // Restarts what cannot follow by itself. Of Secrets it keeps hashes, which nobody else could give it: views are there only where our nodes are.
  "reload-controller": [
    can("list watch", "driftless.dev", "configviews"),
    can("list watch", "core", "configmaps secrets"),
    can("list patch watch", "core", "pods"),
    can("list patch watch", "apps", "daemonsets deployments statefulsets"),
    can("list watch", "apps", "replicasets"),
    recordEvents,
  ],
};

export const controllerRoles: readonly PolicyEntry[] = [
  ...rolesOf("system:controller:", kubernetes),
  ...rolesOf("driftless:controller:", ours),
  { name: "driftless:controllers", collects: collected, to: [user(CONTROLLERS_USER)] },
];

function rolesOf(
  prefix: string,
  controllers: Readonly<Record<string, readonly PolicyRule[]>>,
): readonly PolicyEntry[] {
  return Object.entries(controllers).map(([controller, allows]) => ({
    name: prefix + controller,
    allows,
    feeds: [collected],
    to: [systemAccount(controller)],
  }));
}
