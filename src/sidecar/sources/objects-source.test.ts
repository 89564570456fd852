import { deepEqual, equal, match } from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import { systemClock } from "../../base/clock.ts";
import { type FakeClientParts, fakeClient } from "../../client/testing/fake-client.ts";
import type { SourceSpec } from "../compose-model.ts";
import { objectFiles } from "./object-files.ts";
import { ObjectsSource } from "./objects-source.ts";

const SPEC: Extract<SourceSpec, { type: "objects" }> = {
  ...{ type: "objects", kinds: ["ConfigMap"], names: undefined, labelSelector: "app=web" },
  ...{ namespaces: undefined, folderAnnotation: undefined, isUnique: false },
  ...{ followsUrls: false, optional: false },
};

function running(
  parts: FakeClientParts,
  more: Partial<Extract<SourceSpec, { type: "objects" }>> = {},
  connect: () => void = () => undefined,
) {
  const { client, clock, random, logger } = parts;
  const api = () => {
    connect();
    return { client, namespace: "default" };
  };
  const source = new ObjectsSource({
    name: "o",
    spec: { ...SPEC, ...more },
    api,
    clock,
    random,
    logger,
  });
  const stop = new AbortController();
  const ended = source.run(stop.signal);
  return {
    source,
    /** After everything that is under way. */
    async told(ms = 0) {
      for (let i = 0; i < 5; i++) await clock.step(i === 0 ? ms : 0);
      const state = source.current();
      const files = state.state === "known" ? [...state.content.files] : undefined;
      return {
        files: files?.map(([name, { data }]) => `${name}=${Buffer.from(data).toString()}`),
        problem: state.problem,
      };
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

const forbidden = new StatusError({ code: 403, reason: "Forbidden", message: "no" });

describe("ObjectsSource", { timeout: 20_000 }, () => {
  it("knows of objects that are added, changed and deleted, by labels", async () => {
    const parts = fakeClient();
    parts.server.put("a", "1");
    await using o = running(parts);
    deepEqual(await o.told(), { files: ["v=1"], problem: undefined });
    match(parts.server.requests[0] ?? "", /labelSelector=app%3Dweb/);
    parts.server.put("a", "2");
    deepEqual((await o.told()).files, ["v=2"]);
    parts.server.remove("a");
    deepEqual(await o.told(), { files: [], problem: undefined });
  });

  it("waits for a way to the server that comes late, and says what is missing", async () => {
    const parts = fakeClient();
    parts.server.put("a", "1");
    let isThere = false;
    await using o = running(parts, {}, () => {
      if (!isThere) throw new Error("there is no account");
    });
    deepEqual(await o.told(), { files: undefined, problem: "there is no account" });
    isThere = true;
    deepEqual(await o.told(60_000), { files: ["v=1"], problem: undefined });
  });

  it("notices what was deleted while the watch was cut and its history forgotten", async () => {
    const parts = fakeClient();
    parts.server.put("a", "1");
    await using o = running(parts);
    await o.told();
    parts.server.goAway();
    parts.server.remove("a");
    parts.server.compact();
    deepEqual((await o.told()).files, ["v=1"]);
    parts.server.comeBack();
    await o.told(60_000);
    deepEqual((await o.told(60_000)).files, []);
  });

  it("waits for an object by name, and keeps its content when it is deleted", async () => {
    const parts = fakeClient();
    await using o = running(parts, { names: ["a"], labelSelector: undefined });
    deepEqual(await o.told(), { files: undefined, problem: "there is no configmap/a in default" });
    parts.server.put("a", "1");
    deepEqual(await o.told(), { files: ["v=1"], problem: undefined });
    parts.server.remove("a");
    deepEqual(await o.told(), {
      files: ["v=1"],
      problem: "configmap/a in default was deleted; its last content is kept",
    });
    parts.server.put("a", "2");
    deepEqual(await o.told(), { files: ["v=2"], problem: undefined });
  });

  it("lets an optional object go", async () => {
    const parts = fakeClient();
    await using o = running(parts, { names: ["a"], labelSelector: undefined, optional: true });
    deepEqual(await o.told(), { files: [], problem: undefined });
    parts.server.put("a", "1");
    await o.told();
    parts.server.remove("a");
    deepEqual((await o.told()).files, []);
  });

  it("says which right is missing, and goes on once it is there", async () => {
    const parts = fakeClient();
    parts.server.put("a", "1");
    parts.server.refusals.push(forbidden);
    await using o = running(parts, { names: ["a"], labelSelector: undefined });
    const { files, problem } = await o.told();
    equal(files, undefined);
    match(
      problem ?? "",
      /no right to "list" and "watch" configmaps \(resourceNames: \["a"\]\) in namespace "default"/,
    );
    deepEqual(await o.told(5000), { files: ["v=1"], problem: undefined });
  });

  it("keeps one watch for each name", async () => {
    const parts = fakeClient();
    await using o = running(parts, { names: ["a", "b"], labelSelector: undefined });
    await o.told();
    deepEqual(
      parts.server.requests.map((path) =>
        new URL(path, "http://x").searchParams.get("fieldSelector"),
      ),
      ["metadata.name=a", "metadata.name=b"],
    );
  });

  it("warns of objects with the same key, but not of names whose order was chosen", async () => {
    const levels = async (more: Parameters<typeof running>[1]): Promise<readonly string[]> => {
      const parts = fakeClient();
      parts.server.put("a", "1");
      parts.server.put("b", "2");
      await using o = running(parts, more);
      deepEqual((await o.told()).files, ["v=2"]);
      const told = parts.logger.records.filter(({ message }) => message.includes("the same key"));
      return told.map(({ level }) => level);
    };
    deepEqual(await levels({}), ["warn"]);
    deepEqual(await levels({ names: ["a", "b"] }), ["info"]);
  });

  it("tells once of changes that come together", async () => {
    const parts = fakeClient();
    await using o = running(parts);
    await o.told();
    let news = 0;
    o.source.onChange(() => {
      news++;
    });
    for (let i = 0; i < 10; i++) parts.server.put(`a${i}`, `${i}`);
    await o.told();
    equal(news <= 2, true, `${news}`);
  });

  it("lists besides where that is asked for, also when no watch is allowed", async () => {
    const parts = fakeClient();
    parts.server.put("a", "1");
    parts.server.refusals.push(forbidden);
    await using o = running(parts, { pollMs: 10_000 });
    deepEqual(await o.told(), { files: ["v=1"], problem: undefined });
  });
});

describe("objectFiles", () => {
  const object: ApiObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "n", annotations: { folder: "team/" } },
    data: { "x.json": "1", "y.json.url": " http://h/y " },
    binaryData: { z: "/w==" },
  };
  const plain = { folderAnnotation: undefined, isUnique: false, followsUrls: false };

  it("names files by their keys", () => {
    deepEqual(
      objectFiles("ConfigMap", object, plain).map(({ name }) => name),
      ["x.json", "y.json.url", "z"],
    );
  });

  it("names them uniquely as k8s-sidecar does, with the folder in front, and finds addresses", () => {
    const options = { folderAnnotation: "folder", isUnique: true, followsUrls: true };
    const [x, y] = objectFiles("ConfigMap", object, options);
    equal(x?.name, "team/namespace_n.configmap_a.x.json");
    equal(x?.folder, "team");
    equal(y?.name, "team/namespace_n.configmap_a.y.json");
    equal(y?.url?.address, "http://h/y");
  });

  it("takes what is in Secrets for secret, decoded", () => {
    const secret = { ...object, data: { p: "aGk=" }, binaryData: {} };
    const [p] = objectFiles("Secret", secret, plain);
    deepEqual([Buffer.from(p?.data ?? []).toString(), p?.isSecret], ["hi", true]);
  });
});

describe("keys that name addresses", { timeout: 20_000 }, () => {
  it("are fetched, left out while that fails, and keep their last content", async () => {
    const answers = [500, 200, 500];
    const server = createServer((_, response) => {
      const code = answers.shift() ?? 200;
      response.writeHead(code).end(code === 200 ? "fetched" : "broken");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const parts = { ...fakeClient(), clock: systemClock };
    const urls = {
      auth: undefined,
      timeoutMs: 5000,
      intervalMs: 10,
      skipsTlsVerify: false,
      takesServerErrors: false,
    };
    const { client, logger } = parts;
    const random = { next: () => 0.999, uint32: () => 0 };
    const api = () => ({ client, namespace: "default" });
    const spec = { ...SPEC, followsUrls: true, urls };
    const source = new ObjectsSource({ name: "o", spec, api, clock: systemClock, random, logger });
    const seen: string[] = [];
    const stop = new AbortController();
    const metadata = { name: "d", namespace: "default", uid: "u", resourceVersion: "500" };
    const data = { "x.json.url": `http://127.0.0.1:${port}/x` };
    source.onChange(() => {
      const state = source.current();
      if (state.state === "waiting") return;
      const files = [...state.content.files].map(
        ([name, file]) => `${name}=${Buffer.from(file.data).toString()}`,
      );
      seen.push(`${files.join()} ${state.problem === undefined ? "well" : "ill"}`);
      // The first state has come, so there is a stream to send to.
      if (seen.length === 1)
        parts.server.inject("ADDED", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
      if (seen.length === 5) stop.abort();
    });
    await source.run(stop.signal);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    deepEqual(seen, [
      " well",
      " ill",
      "x.json=fetched well",
      "x.json=fetched ill",
      "x.json=fetched well",
    ]);
  });
});
