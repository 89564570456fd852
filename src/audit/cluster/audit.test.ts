// On a server of somebody else: one that knows nothing of Driftless, answers in pages and refuses some of what is asked.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { forbidden, notFound } from "../../api/status-error.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { ApiClient } from "../../client/api-client.ts";
import type { Transport, TransportRequest } from "../../client/transport.ts";
import type { Report } from "../reports/report.ts";
import { audit } from "./audit.ts";

/** Lists by path without its query; items without kind and apiVersion, as Kubernetes sends them. */
class ForeignServer {
  readonly requests: TransportRequest[] = [];
  readonly #lists: Readonly<Record<string, readonly JsonObject[] | "forbidden">>;
  readonly #pageSize: number;

  constructor(
    lists: Readonly<Record<string, readonly JsonObject[] | "forbidden">>,
    pageSize = 500,
  ) {
    this.#lists = lists;
    this.#pageSize = pageSize;
  }

  async audit(): Promise<Report> {
    const clock = new FakeClock();
    const connection = { server: "https://foreign", isInsecure: false, namespace: "default" };
    const transport: Transport = {
      isConnected: true,
      connections: 1,
      answers: async () => true,
      close: async () => undefined,
      [Symbol.dispose]: () => undefined,
      send: async (request) => {
        this.requests.push(request);
        const [code, body] = this.#answer(new URL(request.path, "https://foreign"));
        return {
          code,
          retryAfter: undefined,
          body: (async function* () {
            yield Buffer.from(JSON.stringify(body));
          })(),
        };
      },
    };
    using client = new ApiClient({ connection, clock, timeoutMs: 1000, transport });
    const { signal } = new AbortController();
    return await audit({
      client,
      namespace: undefined,
      nowMs: Date.parse("2026-02-01T00:00:00Z"),
      signal,
      isWanted: () => true,
    });
  }

  #answer({ pathname, searchParams }: URL): [number, object] {
    const list = this.#lists[pathname];
    const resource = pathname.split("/").at(-1) ?? "";
    if (list === "forbidden")
      return [403, forbidden({ group: "", resource, kind: "" }, "", "no").toStatus()];
    if (pathname.includes("driftless.dev")) {
      return [404, notFound({ group: "", resource, kind: "" }, "").toStatus()];
    }
    const from = Number(searchParams.get("continue") ?? 0);
    const to = from + this.#pageSize;
    const items = (list ?? []).slice(from, to);
    return [
      200,
      { kind: "List", metadata: to < (list?.length ?? 0) ? { continue: String(to) } : {}, items },
    ];
  }
}

function owner(uid: string): JsonObject {
  return { ownerReferences: [{ apiVersion: "x", kind: "x", name: "x", uid, controller: true }] };
}

function pod(name: string, metadata: JsonObject = {}): JsonObject {
  return {
    metadata: { name, namespace: "shop", uid: name, ...metadata },
    spec: { containers: [{ name: "main", envFrom: [{ configMapRef: { name: "conf" } }] }] },
    status: {
      phase: "Running",
      containerStatuses: [
        { name: "main", state: { running: { startedAt: "2026-01-01T00:00:00Z" } } },
      ],
    },
  };
}

function config(time: string, metadata: JsonObject = {}): JsonObject {
  const managedFields = [
    { manager: "kubectl", operation: "Update", time, fieldsV1: { "f:data": { "f:A": {} } } },
  ];
  return {
    metadata: { name: "conf", namespace: "shop", uid: "c", managedFields, ...metadata },
    data: { A: "1" },
  };
}

function told({ findings }: Report): readonly string[] {
  return findings.map(
    ({ finding }) => `${finding.subject.kind}/${finding.subject.name} ${finding.rule.name}`,
  );
}

describe("audit", () => {
  it("judges a workload once, and each of its pods by what it runs with", async () => {
    const server = new ForeignServer({
      "/api/v1/configmaps": [config("2026-01-05T00:00:00Z")],
      "/apis/apps/v1/deployments": [
        { metadata: { name: "web", namespace: "shop", uid: "d" }, spec: { template: pod("x") } },
      ],
      "/apis/apps/v1/replicasets": [
        { metadata: { name: "web-1", namespace: "shop", uid: "r", ...owner("d") } },
      ],
      "/api/v1/pods": [pod("web-1-a", owner("r")), pod("web-1-b", owner("r")), pod("bare")],
    });
    assert.deepEqual(told(await server.audit()), [
      "Deployment/web env-frozen",
      "Pod/web-1-a env-stale",
      "Pod/web-1-b env-stale",
      "Pod/bare env-frozen",
      "Pod/bare env-stale",
    ]);
  });

  it("says that a pod was not reloaded by its workload's annotations", async () => {
    const annotations = { "reloader.stakater.com/auto": "true" };
    const server = new ForeignServer({
      "/api/v1/configmaps": [config("2026-01-05T00:00:00Z")],
      "/apis/apps/v1/statefulsets": [
        {
          metadata: { name: "db", namespace: "shop", uid: "s", annotations },
          spec: { template: pod("x") },
        },
      ],
      "/api/v1/pods": [pod("db-0", owner("s"))],
    });
    assert.deepEqual(told(await server.audit()), ["Pod/db-0 not-reloaded"]);
  });

  it("ignores in pods what their workload asks to ignore", async () => {
    const annotations = { "driftless.dev/lint-ignore": "DL102, env-stale" };
    const server = new ForeignServer({
      "/api/v1/configmaps": [config("2026-01-05T00:00:00Z")],
      "/apis/apps/v1/daemonsets": [
        {
          metadata: { name: "a", namespace: "shop", uid: "s", annotations },
          spec: { template: pod("x") },
        },
      ],
      "/api/v1/pods": [pod("a-1", owner("s"))],
    });
    assert.deepEqual(told(await server.audit()), []);
  });

  it("finds nothing in pods that are younger than their content", async () => {
    const server = new ForeignServer({
      "/api/v1/configmaps": [config("2025-12-31T00:00:00Z")],
      "/api/v1/pods": [pod("a", { annotations: { "driftless.dev/lint-ignore": "DL102" } })],
    });
    assert.deepEqual(told(await server.audit()), []);
  });

  it("asks for the metadata of Secrets and of nothing else of them", async () => {
    const server = new ForeignServer({});
    await server.audit();
    const accepts = server.requests
      .filter(({ path }) => path.includes("/secrets"))
      .map(({ headers }) => headers["accept"]);
    assert.deepEqual(accepts, ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"]);
    assert.ok(server.requests.every(({ method }) => method === "GET"));
  });

  it("says what it may not list, and takes nothing for missing because of it", async () => {
    const server = new ForeignServer({
      "/api/v1/configmaps": "forbidden",
      "/api/v1/secrets": "forbidden",
      "/api/v1/pods": [pod("a", { annotations: { "driftless.dev/lint-ignore": "DL102" } })],
    });
    const report = await server.audit();
    assert.deepEqual(told(report), []);
    assert.deepEqual(
      report.gaps.map((gap) => gap.split(":")[0]),
      ["configmaps", "the metadata of secrets"],
    );
  });

  it("calls an object missing that does not exist", async () => {
    const report = await new ForeignServer({ "/api/v1/pods": [pod("a")] }).audit();
    assert.deepEqual(told(report), ["Pod/a env-frozen", "Pod/a missing-object"]);
  });

  it("reads every page, and keeps no contents", async () => {
    const data = { big: "x".repeat(600_000) };
    const maps = Array.from({ length: 25 }, (_, i) => ({
      metadata: { name: `m${i}`, namespace: "a", uid: `m${i}` },
      data,
    }));
    const server = new ForeignServer({ "/api/v1/configmaps": maps }, 10);
    const report = await server.audit();
    assert.equal(report.looked.count, 25);
    assert.equal(report.findings.length, 25);
    assert.ok(JSON.stringify(report.findings).length < 25_000);
  });

  it("judges one of the pods that somebody unknown owns", async () => {
    const owned = [pod("a", owner("crd")), pod("b", owner("crd"))];
    const server = new ForeignServer({
      "/api/v1/configmaps": [config("2025-12-31T00:00:00Z")],
      "/api/v1/pods": owned,
    });
    assert.deepEqual(told(await server.audit()), ["Pod/a env-frozen"]);
  });
});
