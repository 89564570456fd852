import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { stringify } from "yaml";
import type { ApiObject } from "../../src/api/object.ts";
import { systemClock } from "../../src/base/clock.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { FollowedFile } from "../../src/client/followed-file.ts";
import { type Connection, loadConnection, readKubeconfig } from "../../src/client/kubeconfig.ts";
import { ObjectWatch } from "../../src/client/object-watch.ts";
import { ResourceClient, requestToken } from "../../src/client/resource-client.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import {
  type ConfigMap,
  configMap,
  configMaps,
  LiveInformer,
  liveClient,
  maps,
  parts,
  servedKind,
} from "./live-client.ts";

const WATCHES = 2000;

describe("the client on a real server", () => {
  let server: DriftlessServer;
  let directory: TempDir;
  let client: ApiClient;
  before(async () => {
    directory = tempDir();
    directory.write({
      tokens: 'first,u1,1,"system:masters"\nsecond,u2,2,"system:masters"\n',
    });
    const flags = ["--store", "memory", "--token-file", directory.join("tokens")];
    server = await DriftlessServer.start({ flags: [...flags, "--log-level", "error"] });
    client = liveClient(server.kubeconfig);
  });
  after(async () => {
    client[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  it("creates, reads, changes and deletes, in every way that there is", async () => {
    const resource = maps(client);
    const of = { namespace: "default", name: "crud" };
    const created = await resource.create(configMap("crud", "1"), { fieldManager: "test" });
    await rejects(resource.create(configMap("crud", "1")), { reason: "AlreadyExists", code: 409 });
    const updated = await resource.update({ ...created, data: { v: "2" } });
    await rejects(resource.update({ ...created, data: { v: "3" } }), { reason: "Conflict" });
    const value = async (change: Promise<ConfigMap>): Promise<unknown> => (await change).data;
    const json = [{ op: "replace", path: "/data/v", value: "json" }];
    deepEqual(await value(resource.patch(of, json, { type: "json" })), { v: "json" });
    const body = { data: { w: "merge" } };
    deepEqual(await value(resource.patch(of, body, { type: "merge" })), { v: "json", w: "merge" });
    const strategic = { data: { w: null } };
    deepEqual(await value(resource.patch(of, strategic, { type: "strategic" })), { v: "json" });
    const applied = resource.apply(configMap("crud", "applied"), {
      fieldManager: "me",
      force: true,
    });
    deepEqual(await value(applied), { v: "applied" });
    deepEqual(await value(resource.get(of)), { v: "applied" });
    const { resourceVersion = "" } = updated.metadata;
    await rejects(resource.delete(of, { preconditions: { resourceVersion } }), { code: 409 });
    await resource.delete(of, { preconditions: { uid: created.metadata.uid ?? "" } });
    await rejects(resource.get(of), { reason: "NotFound", message: /configmaps "crud" not found/ });
  });

  it("reads long lists page by page", async () => {
    for (let count = 0; count < 7; count++) await maps(client).create(configMap(`p${count}`, "1"));
    const names: (string | undefined)[] = [];
    const options = { namespace: "default", limit: 3 };
    for await (const { metadata } of maps(client).all(options)) names.push(metadata.name);
    equal(names.filter((name) => name?.startsWith("p")).length, 7);
  });

  it("changes a status and asks for tokens", async () => {
    const namespaces = new ResourceClient<ApiObject>(client, servedKind("v1", "Namespace"));
    const found = await namespaces.get({ name: "default" });
    const status = await namespaces.updateStatus({ ...found, status: { phase: "Active" } });
    deepEqual(status["status"], { phase: "Active" });
    const accounts = new ResourceClient<ApiObject>(client, servedKind("v1", "ServiceAccount"));
    await accounts.create({ metadata: { namespace: "default", name: "robot" } });
    const of = { namespace: "default", name: "robot" };
    const { status: given } = await requestToken(client, of, { spec: { expirationSeconds: 600 } });
    match(given?.token ?? "", /^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it(`holds ${WATCHES} watches of single objects over two connections, and each hears of its own`, async () => {
    using watching = liveClient(server.kubeconfig);
    const names = Array.from({ length: WATCHES }, (_, index) => `single${index}`);
    const inGroups = async (work: (name: string) => Promise<unknown>): Promise<void> => {
      for (let start = 0; start < names.length; start += 100) {
        await Promise.all(names.slice(start, start + 100).map(work));
      }
    };
    await inGroups((name) => maps(client).create(configMap(name, "1")));
    const seen = new Map<string, string | undefined>();
    let wanted = "1";
    let done = Promise.withResolvers<void>();
    const stop = new AbortController();
    let remaining = WATCHES;
    const running = names.map((name) =>
      new ObjectWatch<ConfigMap>({
        client: watching,
        kind: configMaps,
        namespace: "default",
        name,
        onChange(object) {
          seen.set(name, object?.data?.["v"]);
          if (object?.data?.["v"] === wanted && --remaining === 0) done.resolve();
        },
        ...parts,
      }).run(stop.signal),
    );
    await done.promise;
    equal(watching.connections, 2);
    [wanted, remaining, done] = ["2", WATCHES, Promise.withResolvers<void>()];
    await inGroups((name) => maps(client).update(configMap(name, "2")));
    await done.promise;
    equal(
      names.every((name) => seen.get(name) === "2"),
      true,
    );
    stop.abort();
    await Promise.all(running);
  });

  it("does all of it over HTTP/1.1", async () => {
    using old = liveClient(server.kubeconfig, {}, { maxHttpVersion: "1.1" });
    await using live = new LiveInformer(old);
    await maps(old).create(configMap("h1", "1"));
    await live.until(() => live.state.includes("h1=1"));
    await maps(old).update(configMap("h1", "2"));
    await live.until(() => live.state.includes("h1=2"));
    equal(old.connections, 0);
  });

  it("uses the token that is in the file now, and its watches go on", async () => {
    directory.write({ token: "first" });
    const file = new FollowedFile(directory.join("token"));
    const { authority, isInsecure, namespace } = readKubeconfig(server.kubeconfig);
    const connection = {
      server: server.url,
      isInsecure,
      namespace,
      ...(authority !== undefined && { authority }),
      token: () => file.read(),
    };
    using rotating = clientOf(connection);
    await using live = new LiveInformer(rotating);
    await live.informer.synced;
    equal(await userOf(rotating), "u1");
    directory.write({ token: "second" });
    equal(await userOf(rotating), "u2");
    await maps(rotating).create(configMap("rotated", "1"));
    await live.until(() => live.state.includes("rotated=1"));
    directory.write({ token: "nonsense" });
    await rejects(userOf(rotating), { code: 401 });
    directory.write({ token: "first" });
    equal(await userOf(rotating), "u1");
  });

  it("logs in with a program", async () => {
    const script = directory.join("login");
    const credential = {
      kind: "ExecCredential",
      apiVersion: "client.authentication.k8s.io/v1",
      status: { token: "second" },
    };
    writeFileSync(script, `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
    chmodSync(script, 0o755);
    const text = readFileSync(server.kubeconfig, "utf8");
    const authority = /certificate-authority-data: (\S+)/.exec(text)?.[1];
    directory.write({
      kubeconfig: stringify({
        "current-context": "x",
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        clusters: [
          { name: "c", cluster: { server: server.url, "certificate-authority-data": authority } },
        ],
        users: [
          {
            name: "u",
            user: {
              exec: {
                apiVersion: credential.apiVersion,
                command: "./login",
                interactiveMode: "Never",
              },
            },
          },
        ],
      }),
    });
    using logged = clientOf(
      loadConnection({ file: directory.join("kubeconfig"), env: process.env }),
    );
    equal(await userOf(logged), "u2");
  });
});

function clientOf(connection: Connection): ApiClient {
  return new ApiClient({ connection, clock: systemClock, timeoutMs: 60_000 });
}

async function userOf(client: ApiClient): Promise<string | undefined> {
  const answer = await client.request({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  });
  const { status } = answer as { status?: { userInfo?: { username?: string } } };
  return status?.userInfo?.username;
}
