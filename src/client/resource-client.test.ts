import { deepEqual, equal, rejects } from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import { StatusError } from "../api/status-error.ts";
import { ResourceClient, requestToken } from "./resource-client.ts";
import type { ResourceKind } from "./resource-path.ts";
import { configMaps, type FakeClientParts, fakeClient } from "./testing/fake-client.ts";

const nodes: ResourceKind = { ...configMaps, kind: "Node", resource: "nodes", namespaced: false };
const deployments: ResourceKind = {
  ...configMaps,
  group: "apps",
  kind: "Deployment",
  resource: "deployments",
};
const a = { namespace: "n", name: "a" };
const object: ApiObject = { metadata: { ...a, resourceVersion: "7" } };

describe("ResourceClient", () => {
  let parts: FakeClientParts;
  let resource: ResourceClient<ApiObject>;
  beforeEach(() => {
    parts = fakeClient();
    resource = new ResourceClient(parts.client, configMaps);
  });

  const sent = (): string[] => parts.server.requests.splice(0);

  it("asks for each verb where Kubernetes has it", async () => {
    const base = "/api/v1/namespaces/n/configmaps";
    await resource.create(object, { fieldManager: "m", dryRun: true });
    await resource.update(object, { fieldValidation: "Strict" });
    await resource.updateStatus(object);
    await resource.get(a, { resourceVersion: "0" });
    deepEqual(sent(), [
      `POST ${base}?fieldManager=m&dryRun=All`,
      `PUT ${base}/a?fieldValidation=Strict`,
      `PUT ${base}/a/status`,
      `${base}/a?resourceVersion=0`,
    ]);
  });

  it("finds groups, and what is in no namespace", async () => {
    const node: ApiObject = { metadata: { name: "x" } };
    await new ResourceClient(parts.client, nodes).update(node);
    await new ResourceClient(parts.client, deployments).list({ labelSelector: "a in (b,c)" });
    deepEqual(sent(), [
      "PUT /api/v1/nodes/x",
      "/apis/apps/v1/deployments?labelSelector=a+in+%28b%2Cc%29",
    ]);
  });

  it("sends each of the four patches with its type", async () => {
    const types: string[] = [];
    const { server } = parts;
    const send = server.send.bind(server);
    server.send = (request) => {
      types.push(request.headers["content-type"] ?? "");
      return send(request);
    };
    await resource.patch(a, [], { type: "json" });
    await resource.patch(a, {}, { type: "merge", subresource: "status" });
    await resource.patch(a, {}, { type: "strategic" });
    await resource.apply({ metadata: a }, { fieldManager: "m", force: true });
    deepEqual(types, [
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/strategic-merge-patch+json",
      "application/apply-patch+yaml",
    ]);
    deepEqual(parts.server.bodies.at(-1), { apiVersion: "v1", kind: "ConfigMap", metadata: a });
    const path = "PATCH /api/v1/namespaces/n/configmaps/a";
    deepEqual(sent(), [path, `${path}/status`, path, `${path}?force=true&fieldManager=m`]);
  });

  it("deletes what it means and nothing else", async () => {
    await resource.delete(a, { preconditions: { uid: "u" }, propagationPolicy: "Foreground" });
    deepEqual(parts.server.bodies, [
      {
        kind: "DeleteOptions",
        apiVersion: "v1",
        preconditions: { uid: "u" },
        propagationPolicy: "Foreground",
      },
    ]);
  });

  it("asks for a token of a service account", async () => {
    await requestToken(parts.client, a, { spec: { audiences: ["x"], expirationSeconds: 600 } });
    deepEqual(sent(), ["POST /api/v1/namespaces/n/serviceaccounts/a/token"]);
    deepEqual(parts.server.bodies, [
      {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata: {},
        spec: { audiences: ["x"], expirationSeconds: 600 },
      },
    ]);
  });

  it("lists with the version of the list", async () => {
    parts.server.put("a");
    const page = await resource.list({ namespace: "default", limit: 10 });
    equal(page.resourceVersion, "101");
    deepEqual(
      page.items.map(({ metadata }) => metadata.name),
      ["a"],
    );
  });

  it("throws what the server refuses", async () => {
    const message = 'configmaps "a" not found';
    parts.server.refusals.push(new StatusError({ code: 404, reason: "NotFound", message }));
    await rejects(resource.get(a), { name: "StatusError", code: 404, message });
  });

  it("does not let a name become another path", async () => {
    await resource.get({ namespace: "n", name: "../secrets/x?watch=1" });
    deepEqual(sent(), ["/api/v1/namespaces/n/configmaps/..%2Fsecrets%2Fx%3Fwatch%3D1"]);
  });
});
