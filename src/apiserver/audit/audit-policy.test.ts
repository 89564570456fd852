import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Action, nowhere } from "../authorization.ts";
import { AUTHENTICATED } from "../user.ts";
import { auditChooser } from "./audit-policy.ts";
import { defaultPolicy } from "./default-policy.ts";
import { parsePolicy } from "./parse-policy.ts";

function action(verb: string, what: string, given: Partial<Action> = {}): Action {
  const user = { name: "alice", groups: [AUTHENTICATED] };
  if (what.startsWith("/")) {
    return { ...nowhere, user, verb, isResource: false, path: what, ...given };
  }
  const [resource = "", subresource = ""] = what.split("/");
  const place = { group: "", version: "v1", namespace: "shop", name: "" };
  return { user, verb, isResource: true, path: "", ...place, resource, subresource, ...given };
}

/** The level under a policy of this rule alone: Metadata if it matches. */
function matched(rule: string, asked: Action): boolean {
  const text = `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata, ${rule}}]`;
  return auditChooser(parsePolicy(text, "f"))(asked).level === "Metadata";
}

describe("auditChooser", () => {
  it("matches resources and subresources as the original does", () => {
    const table: readonly [string, string, boolean][] = [
      ["[pods]", "pods", true],
      ["[pods]", "pods/log", false],
      ["[pods/log]", "pods/log", true],
      ['["*"]', "pods/log", true],
      ['["*/status"]', "pods/status", true],
      ['["*/status"]', "pods", false],
      ['["pods/*"]', "pods/log", true],
      ['["pods/*"]', "pods", true],
      ["[]", "anything/at-all", true],
    ];
    for (const [resources, what, isMatch] of table) {
      const rule = `resources: [{group: "", resources: ${resources}}]`;
      assert.equal(matched(rule, action("get", what)), isMatch, `${resources} and ${what}`);
    }
  });

  it("demands group, names, namespaces, verbs, users and groups together", () => {
    const pod = action("get", "pods", { name: "a" });
    assert.equal(matched("resources: [{group: apps}]", pod), false);
    assert.equal(matched('resources: [{group: "*"}]', pod), true);
    const named = 'resources: [{group: "", resources: [pods], resourceNames: [b]}]';
    assert.equal(matched(named, pod), false);
    assert.equal(matched("namespaces: [shop]", pod), true);
    assert.equal(matched('namespaces: [""]', pod), false);
    assert.equal(matched("verbs: [list]", pod), false);
    assert.equal(matched("users: [bob]", pod), false);
    assert.equal(matched("users: [alice], userGroups: [other]", pod), false);
    assert.equal(matched(`users: [alice], userGroups: ["${AUTHENTICATED}"]`, pod), true);
  });

  it("counts a namespace as inside itself", () => {
    const asked = action("get", "namespaces", { namespace: "", name: "kube-system" });
    assert.equal(matched("namespaces: [kube-system]", asked), true);
  });

  it("keeps paths and resources apart", () => {
    assert.equal(matched('nonResourceURLs: ["/healthz*"]', action("get", "/healthz/x")), true);
    assert.equal(matched('nonResourceURLs: ["/healthz"]', action("get", "/healthz/x")), false);
    assert.equal(matched('nonResourceURLs: ["*"]', action("get", "pods")), false);
    assert.equal(matched("namespaces: [shop]", action("get", "/healthz")), false);
  });

  it("takes the first rule that matches, with its stages and those of the policy", () => {
    const policy = parsePolicy(
      `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [Panic]
omitManagedFields: true
rules:
  - { level: Request, verbs: [get], omitStages: [RequestReceived], omitManagedFields: false }
  - { level: Metadata }
`,
      "f",
    );
    const choose = auditChooser(policy);
    assert.deepEqual(choose(action("get", "pods")), {
      level: "Request",
      omitStages: ["Panic", "RequestReceived"],
      omitManagedFields: false,
    });
    assert.equal(choose(action("list", "pods")).level, "Metadata");
    assert.equal(choose(action("list", "pods")).omitManagedFields, true);
  });
});

describe("the default policy", () => {
  const choose = auditChooser(defaultPolicy);
  const level = (verb: string, what: string, given: Partial<Action> = {}): string =>
    choose(action(verb, what, given)).level;

  it("tells of every write", () => {
    for (const verb of ["create", "update", "patch", "delete", "deletecollection"]) {
      assert.equal(level(verb, "configmaps"), "Metadata", verb);
    }
    assert.equal(level("deletecollection", "events"), "Metadata");
    assert.equal(level("post", "/api"), "Metadata");
  });

  it("tells of every access to secrets and tokens, and of commands in pods", () => {
    for (const verb of ["get", "list", "watch", "create"]) {
      assert.equal(level(verb, "secrets"), "Metadata", verb);
    }
    assert.equal(level("create", "serviceaccounts/token"), "Metadata");
    const group = "authentication.k8s.io";
    assert.equal(level("create", "tokenreviews", { group }), "Metadata");
    assert.equal(level("list", "configrevisions", { group: "driftless.dev" }), "Metadata");
    assert.equal(level("get", "pods/exec"), "Metadata");
  });

  it("is silent about reads, health, discovery, events and heartbeats", () => {
    for (const verb of ["get", "list", "watch"]) assert.equal(level(verb, "configmaps"), "None");
    for (const path of ["/livez", "/readyz/store", "/metrics", "/apis/apps", "/openapi/v3"]) {
      assert.equal(level("get", path), "None", path);
    }
    assert.equal(level("create", "events"), "None");
    const group = "coordination.k8s.io";
    const node = { name: "system:node:a", groups: ["system:nodes"] };
    const heartbeat = { group, user: node, namespace: "kube-node-lease" };
    assert.equal(level("update", "leases", heartbeat), "None");
    assert.equal(level("update", "leases", { ...heartbeat, namespace: "shop" }), "Metadata");
    assert.equal(level("update", "leases", { group, namespace: "kube-system" }), "Metadata");
  });
});
