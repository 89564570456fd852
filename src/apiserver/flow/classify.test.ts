import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Action, nowhere } from "../authorization.ts";
import { AUTHENTICATED, anonymous, MASTERS, type UserInfo } from "../user.ts";
import { classify } from "./classify.ts";

const user = (name: string, ...groups: readonly string[]): UserInfo => ({
  name,
  groups: [...groups, AUTHENTICATED],
});
const admin = user("admin", MASTERS);
const node = user("system:node:a", "system:nodes");

function levelOf(who: UserInfo, verb: string, what: Partial<Action> | string): string {
  const target =
    typeof what === "string"
      ? { ...nowhere, isResource: false, path: what }
      : { ...nowhere, isResource: true, path: "", ...what };
  return classify({ ...target, user: who, verb }, "10.0.0.1").level;
}

describe("classify", () => {
  it("exempts health checks, whoever asks, and nothing that only looks like one", () => {
    assert.equal(levelOf(anonymous, "get", "/livez"), "exempt");
    assert.equal(levelOf(admin, "get", "/readyz/store"), "exempt");
    assert.equal(levelOf(anonymous, "get", "/livezzz"), "catch-all");
  });

  it("puts leases and status of a node before everything else that it does", () => {
    const lease = {
      group: "coordination.k8s.io",
      resource: "leases",
      namespace: "kube-node-lease",
    };
    assert.equal(levelOf(node, "update", { ...lease, name: "a" }), "node-heartbeat");
    assert.equal(levelOf(node, "create", lease), "node-heartbeat");
    const self = { resource: "nodes", name: "a" };
    assert.equal(levelOf(node, "patch", { ...self, subresource: "status" }), "node-heartbeat");
    assert.equal(levelOf(node, "get", self), "node-heartbeat");
    assert.equal(levelOf(node, "patch", self), "node");
    assert.equal(levelOf(node, "list", lease), "node");
    assert.equal(levelOf(node, "update", { ...lease, namespace: "default", name: "a" }), "node");
    assert.equal(levelOf(node, "get", { resource: "secrets", namespace: "x", name: "s" }), "node");
  });

  it("knows the parts of the system by their names", () => {
    const pods = { resource: "pods" };
    assert.equal(levelOf(user("system:kube-scheduler"), "list", pods), "system");
    assert.equal(levelOf(user("system:serviceaccount:kube-system:gc"), "list", pods), "system");
    assert.equal(levelOf(user("system:serviceaccount:shop:gc"), "list", pods), "workload-list");
  });

  it("does not exempt an admin: a script that runs away is one flow among others", () => {
    assert.equal(levelOf(admin, "get", { resource: "pods", name: "p" }), "workload-read");
    assert.equal(levelOf(admin, "list", { resource: "pods" }), "workload-list");
    assert.equal(levelOf(admin, "deletecollection", { resource: "pods" }), "workload-write");
    assert.equal(levelOf(admin, "get", "/openapi/v2"), "workload-read");
  });

  it("tells flows apart by user, and those without a name by address", () => {
    const action = { ...nowhere, isResource: true, path: "", verb: "list", resource: "pods" };
    assert.equal(classify({ ...action, user: admin }, "10.0.0.1").flow, "admin");
    assert.equal(classify({ ...action, user: anonymous }, "10.0.0.1").flow, "10.0.0.1");
  });
});
