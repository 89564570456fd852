// Clients that hold on to something: a seat, by sending slowly; memory, by not reading; the log, by odd bodies; a watch,
// by not leaving. Nobody else may feel it.

import { equal, match, ok } from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { describe, it, type TestContext } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { LONG } from "../support/campaign.ts";
import { bearer, DriftlessServer, readCredentials } from "../support/driftless-server.ts";

const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const MAPS = "/api/v1/namespaces/default/configmaps";

/** Tokens of three who have no rights. */
const tokens = ["one", "two", "three"].map((name) => `${name}-token,${name},,""`).join("\n");

async function started(flags: readonly string[] = []): Promise<DriftlessServer> {
  using dir = tempDir();
  writeFileSync(dir.join("tokens"), tokens);
  return await DriftlessServer.start({
    flags: ["--store", "memory", "--token-file", dir.join("tokens"), ...flags],
  });
}

function session(t: TestContext, server: DriftlessServer, withAdmin = false): ClientHttp2Session {
  const { ca, cert, key } = readCredentials(server.kubeconfig);
  const made = connect(server.url, { ca, ...(withAdmin && { cert, key }) });
  made.on("error", () => undefined);
  t.after(() => made.destroy());
  return made;
}

function quiet(stream: ClientHttp2Stream): ClientHttp2Stream {
  return stream.on("error", () => undefined);
}

function memoryMib(server: DriftlessServer): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

describe("A client that holds on", () => {
  it("keeps nobody from writing while it sends its bodies slowly", async (t) => {
    await using server = await started();
    for (const name of ["one", "two", "three"]) {
      const client = session(t, server);
      for (let i = 0; i < 100; i++) {
        const stream = quiet(
          client.request(
            {
              ":method": "POST",
              ":path": REVIEWS,
              "content-type": "application/json",
              "content-length": "1000",
              ...bearer(`${name}-token`),
            },
            { endStream: false },
          ),
        );
        stream.write("{");
      }
    }
    for (let i = 0; i < 20; i++) {
      const written = await server.fetch("POST", MAPS, { metadata: { name: `m-${i}` } });
      equal(written.status, 201, written.text);
    }
  });

  it("does not fill the memory with answers that it does not read", async (t) => {
    await using server = await started();
    const data = { a: "x".repeat(900_000) };
    for (let i = 0; i < 20; i++) {
      equal((await server.fetch("POST", MAPS, { metadata: { name: `m-${i}` }, data })).status, 201);
    }
    const client = session(t, server, true);
    const statuses: number[] = [];
    const answered: Promise<void>[] = [];
    for (let i = 0; i < 200; i++) {
      const stream = quiet(client.request({ ":path": MAPS, "accept-encoding": "gzip" }));
      stream.pause();
      answered.push(
        new Promise((resolve) => {
          stream.on("response", (headers) => {
            statuses.push(Number(headers[":status"]));
            resolve();
          });
          stream.on("close", () => resolve());
        }),
      );
    }
    await Promise.all(answered);
    t.diagnostic(
      `${memoryMib(server).toFixed(0)} MiB, ${statuses.filter((s) => s === 429).length} x 429`,
    );
    ok(memoryMib(server) < 1500, `${memoryMib(server)} MiB`);
    ok(statuses.includes(200));
    ok(statuses.includes(429));
    client.destroy();
    equal((await server.fetch("GET", `${MAPS}?limit=1`)).status, 200);
  });

  it("does not stop the server by a body that is too deep to be audited", async () => {
    using dir = tempDir();
    const policy = dir.join("policy.yaml");
    writeFileSync(
      policy,
      "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n",
    );
    await using server = await started(["--audit-policy-file", policy]);
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const items = `${'{"items":['.repeat(20_000)}${"]}".repeat(20_000)}`;
    for (const body of [`{"kind":"SelfSubjectAccessReview","x":${deep}}`, items]) {
      const answer = await server.fetchBare("POST", REVIEWS, body, {
        ...bearer("one-token"),
        "content-type": "application/json",
      });
      equal(answer.status, 400, answer.text.slice(0, 200));
    }
    equal((await server.fetch("GET", "/livez")).status, 200);
  });

  it("loses its watch soon after its account is gone", async (t) => {
    if (!LONG) return t.skip("takes up to a minute");
    await using server = await started();
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await server.fetch("POST", accounts, { metadata: { name: "robot" } });
    const made = await server.fetch("POST", `${accounts}/robot/token`, { spec: {} });
    const { token } = (JSON.parse(made.text) as { status: { token: string } }).status;
    const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
    await server.fetch("POST", bindings, {
      metadata: { name: "robot" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
    });
    const path = `${MAPS}?watch=1&timeoutSeconds=600`;
    const watch = quiet(session(t, server).request({ ":path": path, ...bearer(token) }));
    const [head] = (await once(watch, "response")) as [{ readonly ":status"?: number }];
    equal(head[":status"], 200);
    await server.fetch("DELETE", `${accounts}/robot`);
    watch.resume();
    await once(watch, "end");
    match((await server.fetchBare("GET", MAPS, undefined, bearer(token))).text, /"code":401/);
    return undefined;
  });
});
