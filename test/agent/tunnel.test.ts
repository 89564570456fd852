// The way from a client through the API server to a node, and who may go it. The node is real but for its containers.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { TUNNEL_PROTOCOL } from "../../src/streams/tunnel.ts";
import { kubectlLines } from "../clients/kubectl-binaries.ts";
import {
  bearer,
  DriftlessServer,
  type HttpAnswer,
  readCredentials,
} from "../support/driftless-server.ts";
import { AskedNode } from "./asked-node.ts";
import { Kubectl } from "./kubectl-session.ts";

const pods = "/api/v1/namespaces/default/pods";
/** Only a test that fails waits as long. */
const PATIENCE_MS = 30_000;

async function eventually<T>(what: string, attempt: () => T | Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (performance.now() > until) throw new Error(`waited in vain for ${what}`, { cause });
    }
    await sleep(20);
  }
}

async function reached(server: DriftlessServer, node: AskedNode): Promise<void> {
  await eventually(`the server to reach ${node.name}`, async () => {
    const { text } = await server.fetch("GET", `/api/v1/nodes/${node.name}/proxy/healthz`);
    equal(text, "ok");
  });
}

/** A request that asks for an upgrade; what is answered if there is none. */
function refusedUpgrade(
  url: string,
  options: { readonly headers?: Readonly<Record<string, string>> } & TlsIdentity,
): Promise<Pick<HttpAnswer, "status" | "text">> {
  return new Promise((resolve, reject) => {
    const { headers, ...tls } = options;
    const sent = request(url, { ...tls, headers: { connection: "Upgrade", ...headers } });
    sent.once("upgrade", (_, socket) => {
      socket.destroy();
      resolve({ status: 101, text: "" });
    });
    sent.once("response", (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then((read) => resolve({ status, text: read }), reject);
    });
    sent.once("error", reject);
    sent.end();
  });
}

interface TlsIdentity {
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const TOKENS = `exec-token,executor,1,
read-token,reader,2,
none-token,nobody,3,
`;

async function allow(
  server: DriftlessServer,
  user: string,
  verbs: readonly string[],
): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const rules = [
    { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
    { apiGroups: [""], resources: ["pods/exec", "pods/log"], verbs },
  ];
  await server.fetch("POST", `${rbac}/roles`, { metadata: { name: user }, rules });
  await server.fetch("POST", `${rbac}/rolebindings`, {
    metadata: { name: user },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: user },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  });
}

describe("Through the tunnel", { concurrency: false }, () => {
  let server: DriftlessServer;
  let node: AskedNode;
  let directory: AsyncDisposableStack;

  before(async () => {
    directory = new AsyncDisposableStack();
    const files = directory.use(tempDir());
    writeFileSync(join(files.path, "tokens"), TOKENS);
    server = directory.use(
      await DriftlessServer.start({
        flags: ["--store", "memory", "--token-file", join(files.path, "tokens")],
      }),
    );
    node = directory.use(await AskedNode.start(server));
    await node.pod(server, "web", ["one", "two", "three"]);
    await allow(server, "executor", ["get", "create"]);
    await allow(server, "reader", ["get"]);
    await reached(server, node);
  });
  after(() => directory.disposeAsync());

  for (const line of kubectlLines) {
    it(`kubectl ${line} reads logs and runs commands`, async (t) => {
      const kubectl = await Kubectl.of(line, server.kubeconfig);
      if (typeof kubectl === "string") return t.skip(kubectl);
      const log = await kubectl.run("logs", "web", "--tail=2");
      deepEqual([log.code, log.stdout], [0, "two\nthree\n"]);
      const script = "echo out; echo err >&2; exit 3";
      const ran = await kubectl.run("exec", "web", "--", "sh", "-c", script);
      deepEqual([ran.code, ran.stdout], [3, "out\n"]);
      match(ran.stderr, /^err$/m);
      const input = "x".repeat(1_000_000);
      const counted = await kubectl.runWith(input, "exec", "-i", "web", "--", "wc", "-c");
      deepEqual([counted.code, counted.stdout.trim()], [0, "1000000"]);
    });

    it(`kubectl ${line} is told why not`, async (t) => {
      const kubectl = await Kubectl.of(line, server.kubeconfig);
      if (typeof kubectl === "string") return t.skip(kubectl);
      const program = await kubectl.run("exec", "web", "--", "no-such-program");
      equal(program.code, 127);
      match(program.stderr, /no-such-program: not found/);
      const as = ["--as", "somebody", "exec", "web", "--", "true"];
      match((await kubectl.run(...as)).stderr, /User "somebody" cannot (get|create) resource/);
    });

    it(`kubectl ${line} that is killed leaves no process behind`, async (t) => {
      const kubectl = await Kubectl.of(line, server.kubeconfig);
      if (typeof kubectl === "string") return t.skip(kubectl);
      using session = kubectl.start("exec", "-i", "web", "--", "sh", "-c", "echo up; sleep 1000");
      await session.says(/up/);
      equal(node.pids.size, 1);
      session.child.kill("SIGKILL");
      await eventually("no process", () => equal(node.pids.size, 0));
    });
  }

  it("a command of a GET needs the right to create", async () => {
    const headers = {
      upgrade: "websocket",
      "sec-websocket-key": Buffer.alloc(16).toString("base64"),
      "sec-websocket-version": "13",
      "sec-websocket-protocol": "v4.channel.k8s.io",
    };
    const url = `${server.url}${pods}/web/exec?command=true&stdout=1`;
    const ca = node.identity.connection.authority;
    const asked = async (token: string): Promise<readonly [number, string]> => {
      const all = { ...headers, ...bearer(token) };
      const { status, text } = await refusedUpgrade(url, { ca, headers: all });
      return [status, text === "" ? "" : (JSON.parse(text) as { message: string }).message];
    };
    deepEqual(await asked("exec-token"), [101, ""]);
    const [code, message] = await asked("read-token");
    equal(code, 403);
    match(message, /User "reader" cannot create resource "pods\/exec"/);
    equal((await asked("none-token"))[0], 403);
  });

  it("takes a command of a hundred thousand characters", async (t) => {
    const kubectl = await Kubectl.of("1.36", server.kubeconfig);
    if (typeof kubectl === "string") return t.skip(kubectl);
    const script = `: ${"x".repeat(100_000)}; echo done`;
    const ran = await kubectl.run("exec", "web", "--", "sh", "-c", script);
    deepEqual([ran.code, ran.stdout], [0, "done\n"]);
  });

  it("refuses ports that there cannot be", async () => {
    const headers = {
      upgrade: "websocket",
      "sec-websocket-key": Buffer.alloc(16).toString("base64"),
      "sec-websocket-version": "13",
      "sec-websocket-protocol": "v4.channel.k8s.io",
    };
    const { authority: ca } = node.identity.connection;
    const { cert, key } = readCredentials(server.kubeconfig);
    const own = { cert: cert.toString(), key: key.toString() };
    const asked = async (ports: string): Promise<unknown> => {
      const url = `${server.url}${pods}/web/portforward?ports=${ports}`;
      const { status, text } = await refusedUpgrade(url, { ...own, ca, headers });
      return [status, (JSON.parse(text) as { message: string }).message];
    };
    const why = 'strconv.ParseUint: parsing "70000": value out of range';
    deepEqual(await asked("70000"), [400, `unable to parse "70000" as a port: ${why}`]);
    deepEqual(await asked("0"), [400, 'port "0" must be > 0']);
  });

  it("tells that an upgrade is needed, and refuses pods and containers that are not there", async () => {
    const message = async (path: string): Promise<unknown> =>
      (JSON.parse((await server.fetch("POST", `${pods}/${path}`)).text) as { message: string })
        .message;
    equal(await message("web/exec?command=ls&stdout=true"), "Upgrade request required");
    equal(await message("nope/exec?command=ls"), 'pods "nope" not found');
    const other = "web/exec?command=ls&container=x";
    equal(await message(other), "container x is not valid for pod web");
  });

  it("says in the original's words why there is no log", async () => {
    await node.pod(server, "waiting");
    const at = node.containers.findIndex(({ podName }) => podName === "waiting");
    node.containers.splice(at, 1);
    const waiting = { waiting: { reason: "ContainerCreating" } };
    const state = { name: "main", state: waiting, ready: false, restartCount: 0 };
    node.setStatus("waiting", {
      phase: "Pending",
      containerStatuses: [{ ...state, lastState: {}, image: "", imageID: "" }],
    });
    const log = async (query: string): Promise<readonly [number, string]> => {
      const { status, text } = await server.fetch("GET", `${pods}/waiting/log?${query}`);
      return [status, (JSON.parse(text) as { message: string }).message];
    };
    deepEqual(await log(""), [
      400,
      'container "main" in pod "waiting" is waiting to start: ContainerCreating',
    ]);
    deepEqual(await log("previous=true"), [
      400,
      'previous terminated container "main" in pod "waiting" not found',
    ]);
  });

  it("writes commands to the audit log, with their beginning and their end", async () => {
    const kubectl = await Kubectl.of("1.36", server.kubeconfig);
    if (typeof kubectl === "string") return;
    await kubectl.run("exec", "web", "--", "echo", "remember-me");
    const lines = await eventually("both stages", () => {
      const text = readFileSync(join(server.dataDir, "audit", "audit.log"), "utf8");
      const found = text.split("\n").filter((line) => line.includes("remember-me"));
      equal(found.length, 2);
      return found.map((line) => JSON.parse(line) as Record<string, unknown>);
    });
    deepEqual(
      lines.map(({ stage, verb, responseStatus, objectRef }) => ({
        ...{ stage, verb, code: (responseStatus as { code: number }).code },
        subresource: (objectRef as { subresource: string }).subresource,
      })),
      ["ResponseStarted", "ResponseComplete"].map((stage) => ({
        ...{ stage, verb: "get", code: 101, subresource: "exec" },
      })),
    );
  });

  it("a node opens its own tunnel and no other, and nobody else opens one", async () => {
    const { authority: ca, certificate: cert, key } = node.identity.connection;
    const url = (name: string): string => `${server.url}/driftless/v1/nodes/${name}/tunnel`;
    const headers = { upgrade: TUNNEL_PROTOCOL };
    const asNode = await refusedUpgrade(url("other"), { ca, cert, key, headers });
    equal(asNode.status, 403);
    match(asNode.text, /only that node can/);
    const asUser = { ...headers, ...bearer("exec-token") };
    equal((await refusedUpgrade(url("node-1"), { ca, headers: asUser })).status, 403);
    equal((await refusedUpgrade(url("node-1"), { ca, headers })).status, 403);
    await reached(server, node); // Its own is as it was.
  });

  it("says what is missing when a node is not connected", async () => {
    await server.fetch("POST", "/api/v1/nodes", { metadata: { name: "node-9" } });
    const body = {
      metadata: { name: "elsewhere" },
      spec: { nodeName: "node-9", containers: [{ name: "c", image: "i" }] },
    };
    await server.fetch("POST", pods, body);
    const { status, text } = await server.fetch("GET", `${pods}/elsewhere/log`);
    equal(status, 503);
    match((JSON.parse(text) as { message: string }).message, /node "node-9": it has no tunnel/);
  });
});

describe("A tunnel", () => {
  it("is there again when the server comes back, and sessions end with the server", async () => {
    await using stack = new AsyncDisposableStack();
    const { path: dataDir } = stack.use(tempDir());
    const first = stack.use(await DriftlessServer.start({ dataDir }));
    const node = stack.use(await AskedNode.start(first));
    await node.pod(first, "web", ["one"]);
    await reached(first, node);
    const log = first.fetch("GET", `${pods}/web/log?follow=true`);
    log.catch(() => undefined);
    await first.stop();
    await log.then(
      () => undefined,
      () => undefined,
    );
    const second = stack.use(await DriftlessServer.start({ dataDir, port: first.port }));
    await reached(second, node);
    equal((await second.fetch("GET", `${pods}/web/log`)).text, "one\n");
    await second.kill();
    const third = stack.use(await DriftlessServer.start({ dataDir, port: first.port }));
    await reached(third, node);
    ok(node.logger.records.length > 0);
  });

  it("is not needed by a node that listens: the server shows who it is, and others need the right", async () => {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await DriftlessServer.start({ flags: ["--store", "memory"] }));
    const node = stack.use(await AskedNode.start(server, { isListening: true }));
    const port = await eventually("the port", () => {
      ok(node.server.port > 0);
      return node.server.port;
    });
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    const type = { "content-type": "application/merge-patch+json" };
    await server.fetch("PATCH", "/api/v1/nodes/node-1/status", { status }, type);
    await node.pod(server, "web", ["one", "two"]);
    equal((await server.fetch("GET", `${pods}/web/log`)).text, "one\ntwo\n");
    const kubectl = await Kubectl.of("1.36", server.kubeconfig);
    if (typeof kubectl !== "string") {
      const ran = await kubectl.run("exec", "web", "--", "echo", "through the port");
      equal(ran.stdout, "through the port\n");
    }
    // The node's own certificate is good for TLS, and has no right to this.
    const { authority: ca, certificate: cert, key } = node.identity.connection;
    const direct = await refusedUpgrade(`https://127.0.0.1:${port}/pods`, {
      ...{ ca, cert, key },
      checkServerIdentity: () => undefined,
    } as TlsIdentity);
    equal(direct.status, 403);
    match(direct.text, /Forbidden \(user=system:node:node-1, verb=get/);
    // Whatever the method is, more than reading comes of it.
    const command = `https://127.0.0.1:${port}/exec/default/web/main?command=true&output=1`;
    const upgraded = await refusedUpgrade(command, {
      ...{ ca, cert, key, headers: { upgrade: "spdy/3.1" } },
      checkServerIdentity: () => undefined,
    } as TlsIdentity);
    match(upgraded.text, /Forbidden \(user=system:node:node-1, verb=create/);
  });
});
