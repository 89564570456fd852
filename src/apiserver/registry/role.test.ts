import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { created, merged, strategyFor } from "./testing/writes.ts";

const apiVersion = "rbac.authorization.k8s.io/v1";
const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const role = { apiVersion, kind: "Role", metadata: { name: "x:y" }, rules: [rule] };
const clusterRole = merged(role, { kind: "ClusterRole" });
const user = { kind: "User", name: "u" };
const binding = {
  apiVersion,
  kind: "RoleBinding",
  metadata: { name: "x:y" },
  subjects: [user, { kind: "ServiceAccount", name: "s" }],
  roleRef: { kind: "Role", name: "r" },
};
const clusterBinding = merged(binding, {
  kind: "ClusterRoleBinding",
  subjects: [user],
  roleRef: { kind: "ClusterRole" },
});

describe("Role", () => {
  itAccepts(role);

  itRefuses(role, [
    [
      "a name that is a path",
      { metadata: { name: "a/b" } },
      `metadata.name: Invalid value: "a/b": may not contain '/'`,
    ],
    [
      "a rule about nothing",
      { rules: [{}] },
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
      "rules[0].verbs: Required value",
    ],
    [
      "addresses of the server",
      { rules: [{ ...rule, nonResourceURLs: ["/x"] }] },
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ]);
});

describe("ClusterRole", () => {
  itAccepts(clusterRole);
  itAccepts(merged(clusterRole, { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] }));

  itRefuses(clusterRole, [
    [
      "an aggregation of nothing",
      { aggregationRule: {} },
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ],
    [
      "an aggregation that selects by nonsense",
      {
        aggregationRule: {
          clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "x" }] }],
        },
      },
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "x": not a valid selector operator',
      "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.",
    ],
  ]);
});

describe("RoleBinding", () => {
  itAccepts(binding);

  itRefuses(binding, [
    [
      "an unknown role",
      { roleRef: { apiGroup: "x", kind: "y", name: "" } },
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "y": supported values: "Role", "ClusterRole"',
      "roleRef.name: Required value",
    ],
    [
      "subjects that cannot be",
      {
        subjects: [
          { kind: "x" },
          { kind: "User", name: "u", apiGroup: "g" },
          { kind: "ServiceAccount", name: "A" },
        ],
      },
      'subjects[0].kind: Unsupported value: "x": supported values: "ServiceAccount", "User", "Group"',
      'subjects[1].apiGroup: Unsupported value: "g": supported values: "rbac.authorization.k8s.io"',
      `subjects[2].name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      "subjects[0].name: Required value",
    ],
  ]);

  itJudgesUpdates(binding, [
    [
      "changes the role",
      { roleRef: { name: "other" } },
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: field is immutable',
    ],
    ["change the subjects", { subjects: [] }],
  ]);

  it("means users, groups and roles of RBAC when nothing else is said", () => {
    const { object } = created(binding);
    const apiGroup = "rbac.authorization.k8s.io";
    assert.deepEqual(object["roleRef"], { apiGroup, kind: "Role", name: "r" });
    assert.deepEqual(object["subjects"], [
      { kind: "User", apiGroup, name: "u" },
      { kind: "ServiceAccount", name: "s" },
    ]);
  });

  it("can be created with PUT, like all of RBAC", () => {
    for (const kind of ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"]) {
      assert.equal(strategyFor(apiVersion, kind).createsOnUpdate, true);
    }
  });
});

describe("ClusterRoleBinding", () => {
  itAccepts(clusterBinding);

  itRefuses(clusterBinding, [
    [
      "a role of one namespace",
      { roleRef: { kind: "Role" } },
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    ],
    [
      "a service account of any namespace",
      { subjects: [{ kind: "ServiceAccount", name: "s" }] },
      "subjects[0].namespace: Required value",
    ],
  ]);
});
