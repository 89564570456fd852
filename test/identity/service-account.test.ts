import { deepEqual, equal, match } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import { DriftlessServer } from "../support/driftless-server.ts";

interface Review {
  readonly status: {
    readonly authenticated?: boolean;
    readonly user: { readonly extra?: Readonly<Record<string, readonly string[]>> };
  };
}

describe("a token of a service account", () => {
  let server: DriftlessServer;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    await post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
    await post("/api/v1/nodes", { metadata: { name: "n1" } });
    const containers = [{ name: "c", image: "i" }];
    const spec = { serviceAccountName: "robot", nodeName: "n1", containers };
    await post("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec });
  });
  after(() => server[Symbol.asyncDispose]());

  async function post(path: string, body: object): Promise<unknown> {
    const { status, text } = await server.fetch("POST", path, body);
    equal(status, 201, text);
    return JSON.parse(text) as unknown;
  }

  async function token(spec: object): Promise<string> {
    const path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
    const made = (await post(path, { spec })) as { readonly status: { readonly token: string } };
    return made.status.token;
  }

  const review = async (text: string): Promise<Review["status"]> =>
    (
      (await post("/apis/authentication.k8s.io/v1/tokenreviews", {
        spec: { token: text },
      })) as Review
    ).status;

  it("can be checked by others with what the server publishes", async () => {
    const text = await token({ audiences: ["vault"] });
    const found = await server.fetch("GET", "/.well-known/openid-configuration");
    equal(found.headers["content-type"], "application/json");
    const { issuer, jwks_uri: uri } = JSON.parse(found.text) as {
      issuer: string;
      jwks_uri: string;
    };
    const keys = await server.fetch("GET", new URL(uri).pathname);
    equal(keys.headers["content-type"], "application/jwk-set+json");
    const keySet = createLocalJWKSet(JSON.parse(keys.text) as JSONWebKeySet);
    const { payload } = await jwtVerify(text, keySet, { issuer, audience: "vault" });
    equal(payload.sub, "system:serviceaccount:default:robot");
  });

  it("tells its pod and the node of it, and ends with the pod", async () => {
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
    const text = await token({ boundObjectRef });
    const { user } = await review(text);
    const extra = user.extra ?? {};
    deepEqual(extra["authentication.kubernetes.io/pod-name"], ["p"]);
    deepEqual(extra["authentication.kubernetes.io/node-name"], ["n1"]);
    match(extra["authentication.kubernetes.io/node-uid"]?.[0] ?? "", /^[0-9a-f-]{36}$/);
    deepEqual(extra["authentication.kubernetes.io/credential-id"], [`JTI=${decodeJwt(text).jti}`]);
    await server.fetch("DELETE", "/api/v1/nodes/n1");
    equal((await review(text)).authenticated, true);
    await server.fetch("DELETE", "/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0");
    equal((await review(text)).authenticated, undefined);
  });
});
