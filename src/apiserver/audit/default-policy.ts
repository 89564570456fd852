// What is audited when nobody says: who changed what, and who came near a secret. Not the noise of a healthy cluster.

import type { AuditPolicy, AuditRule, GroupResources } from "./audit-policy.ts";

const anything: AuditRule = {
  level: "Metadata",
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: [],
  omitManagedFields: undefined,
};

const of = (group: string, ...resources: readonly string[]): GroupResources => ({
  group,
  resources,
  resourceNames: [],
});

const leases = [of("coordination.k8s.io", "leases")];
const renews = ["get", "update", "patch"];

export const defaultPolicy: AuditPolicy = {
  // A request is told once, with its end; only what never ends, or ends badly, is told otherwise.
  omitStages: ["RequestReceived"],
  omitManagedFields: true,
  rules: [
    {
      ...anything,
      resources: [
        of("", "secrets", "secrets/*", "serviceaccounts/token"),
        of("authentication.k8s.io", "tokenreviews"),
        of("driftless.dev", "configrevisions"),
        // Reading by the verb, but not by what is done with them.
        of("", "pods/exec", "pods/attach", "pods/portforward", "*/proxy"),
      ],
    },
    { ...anything, level: "None", nonResourceURLs: ["/healthz*", "/livez*", "/readyz*"] },
    { ...anything, level: "None", nonResourceURLs: ["/metrics", "/version*", "/openapi*"] },
    { ...anything, level: "None", nonResourceURLs: ["/api*"], verbs: ["get", "head", "options"] },
    {
      ...anything,
      level: "None",
      userGroups: ["system:nodes"],
      namespaces: ["kube-node-lease"],
      resources: leases,
      verbs: renews,
    },
    {
      ...anything,
      level: "None",
      users: ["system:kube-controller-manager", "system:kube-scheduler"],
      namespaces: ["kube-system"],
      resources: leases,
      verbs: renews,
    },
    {
      ...anything,
      level: "None",
      userGroups: ["system:serviceaccounts:kube-system"],
      namespaces: ["kube-system"],
      resources: leases,
      verbs: renews,
    },
    // Who removes events may be covering tracks: that is a write like any other.
    {
      ...anything,
      level: "None",
      resources: [of("", "events"), of("events.k8s.io", "events")],
      verbs: ["create", "update", "patch"],
    },
    { ...anything, level: "None", verbs: ["get", "list", "watch", "head", "options"] },
    anything,
  ],
};
