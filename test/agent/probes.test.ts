// Probes of real containers, as the API shows what comes of them: conditions, restarts, Events.

import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { Loopback } from "../../src/agent/probes/testing/loopback.ts";
import type { Container, ContainerStatus, Pod, Probe } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { TestAuthority } from "../client/tls-server.ts";
import { sleepers } from "../support/sleepers.ts";
import { Cluster, sleeper } from "./cluster.ts";

const skip = process.getuid?.() === 0 ? false : "containers need root here";

describe("probes", { skip, concurrency: 2 }, () => {
  let cluster: Cluster;
  let home: TempDir;
  before(async () => {
    home = tempDir();
    cluster = await Cluster.start();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  const main = ({ status }: Pod): ContainerStatus | undefined => status?.containerStatuses?.[0];
  const condition = ({ status }: Pod, type: string): string | undefined =>
    status?.conditions?.find((one) => one.type === type)?.status;
  const readyAs = (name: string, ready: boolean): Promise<Pod> =>
    cluster.podWhere(
      name,
      `ready ${ready}`,
      (pod) => main(pod)?.ready === ready && condition(pod, "Ready") === (ready ? "True" : "False"),
    );
  const eventOf = (name: string, message: string | RegExp): Promise<unknown> =>
    cluster.eventually(`an Event of ${name}: ${message}`, async () => {
      const events = await cluster.events(name);
      const all = events.map((one) => `${one.type} ${one.reason} ${one.message}`);
      const isThere = all.some((one) =>
        typeof message === "string" ? one === message : message.test(one),
      );
      assert.ok(isThere, all.join("\n"));
    });
  /** With time enough for a busy machine. */
  const once = (probe: Probe): Probe => {
    return { periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 30, ...probe };
  };
  const flagged = (parts: Partial<Container>): Container =>
    sleeper({ volumeMounts: [{ name: "flags", mountPath: "/flags" }], ...parts });
  /** A directory of the machine is /flags in the container. */
  const makePod = (name: string, parts: Partial<Container>): Promise<Pod> => {
    const hostPath = { path: join(home.path, name), type: "DirectoryOrCreate" };
    const volumes = [{ name: "flags", hostPath }];
    return cluster.makePod(name, { volumes, containers: [flagged(parts)] });
  };
  const raise = (name: string, flag: string): void =>
    writeFileSync(join(home.path, name, flag), "");
  const lower = (name: string, flag: string): void => rmSync(join(home.path, name, flag));
  const isThere = (flag: string): Probe => ({ exec: { command: ["cat", `/flags/${flag}`] } });

  it("make a container ready and unready as a program in it says", async () => {
    await makePod("exec", { readinessProbe: once(isThere("ready")) });
    await eventOf("exec", /^Warning Unhealthy Readiness probe failed: cat: .*No such file/);
    // Events and statuses come each on its own way.
    await cluster.podWhere(
      "exec",
      "a container that has started and is not ready",
      (pod) => main(pod)?.started === true && main(pod)?.ready === false,
    );
    await readyAs("exec", false);
    raise("exec", "ready");
    await readyAs("exec", true);
    lower("exec", "ready");
    await readyAs("exec", false);
    assert.equal(main(await cluster.pod("exec"))?.restartCount, 0);
  });

  it("have a container restarted that is not alive any more", async () => {
    await makePod("liveness", {
      livenessProbe: once({
        exec: { command: ["sh", "-c", "! cat /flags/dead"] },
        // It has to come to its own end, also on a busy machine.
        terminationGracePeriodSeconds: 60,
      }),
      // What was raised against the old container is not held against the new one.
      command: [
        "sh",
        "-c",
        "trap 'rm /flags/dead; exit 3' TERM; touch /flags/up; sleep infinity & wait",
      ],
    });
    await cluster.eventually("a container that is up", () => lower("liveness", "up"));
    raise("liveness", "dead");
    const pod = await cluster.podWhere(
      "liveness",
      "a restart",
      (one) => main(one)?.restartCount === 1 && main(one)?.state.running !== undefined,
    );
    assert.equal(main(pod)?.lastState.terminated?.exitCode, 3);
    await eventOf("liveness", "Warning Unhealthy Liveness probe failed: ");
    await eventOf(
      "liveness",
      "Normal Killing Container main failed liveness probe, will be restarted",
    );
  });

  it("wait for the start-up, and have a container restarted that does not start", async () => {
    await makePod("startup", {
      startupProbe: { ...once(isThere("started")), failureThreshold: 60 },
      livenessProbe: once({ exec: { command: ["sh", "-c", "touch /flags/asked"] } }),
    });
    await cluster.podWhere(
      "startup",
      "a container that runs",
      (one) => main(one)?.state.running !== undefined,
    );
    await eventOf("startup", /^Warning Unhealthy Startup probe failed: /);
    assert.equal(main(await cluster.pod("startup"))?.started, false);
    assert.equal(existsSync(join(home.path, "startup/asked")), false);
    raise("startup", "started");
    const pod = await readyAs("startup", true);
    assert.equal(main(pod)?.started, true);
    await cluster.eventually("the question whether it is alive", () =>
      assert.ok(existsSync(join(home.path, "startup/asked"))),
    );
    await makePod("no-start", { startupProbe: once(isThere("started")) });
    await cluster.podWhere("no-start", "a restart", (one) => (main(one)?.restartCount ?? 0) > 0);
    await eventOf(
      "no-start",
      "Normal Killing Container main failed startup probe, will be restarted",
    );
  });

  it("end a program that takes too long, with all that it started", async () => {
    const command = ["sh", "-c", "sleep 4321 & wait"];
    await makePod("slow", { readinessProbe: once({ exec: { command }, timeoutSeconds: 1 }) });
    const text = `command timed out: ${JSON.stringify(command.join(" "))} timed out after 1s`;
    await eventOf("slow", `Warning Unhealthy Readiness probe failed: ${text}`);
    await cluster.delete("pods/slow");
    await cluster.podGone("slow");
    await cluster.eventually("no such program", () => assert.deepEqual(sleepers("4321"), []));
  });

  it("say that a program is not there, and count it neither way", async () => {
    await makePod("missing", { livenessProbe: once({ exec: { command: ["no-such-program"] } }) });
    await eventOf(
      "missing",
      /^Warning Unhealthy Liveness probe errored and resulted in unknown state: .*executable file not found/,
    );
    assert.equal(main(await readyAs("missing", true))?.restartCount, 0);
  });

  it("ask by HTTP where the pod is", async () => {
    let status = 500;
    const agents: (string | undefined)[] = [];
    await using server = await onAllAddresses(
      createHttpServer((request, response) => {
        agents.push(request.headers["user-agent"]);
        response.writeHead(status).end();
      }),
    );
    const ports = [{ name: "web", containerPort: server.port }];
    await makePod("http", {
      ports,
      readinessProbe: once({ httpGet: { port: "web", path: "/healthz" } }),
    });
    await eventOf(
      "http",
      "Warning Unhealthy Readiness probe failed: HTTP probe failed with statuscode: 500",
    );
    status = 200;
    await readyAs("http", true);
    assert.equal(agents[0], "kube-probe/1.36");
  });

  it("ask by HTTPS without a look at the certificate", async () => {
    const { certificate: cert, key } = await (await TestAuthority.create()).issue("nobody");
    await using server = await onAllAddresses(
      createHttpsServer({ cert, key }, (_, response) => response.end()),
    );
    await makePod("https", {
      readinessProbe: once({ httpGet: { port: server.port, scheme: "HTTPS", host: "127.0.0.1" } }),
    });
    await readyAs("https", true);
  });

  it("ask whether a port is open", async () => {
    const server = await Loopback.tcp(() => undefined);
    const { port } = server;
    await using _server = server;
    await makePod("tcp", { readinessProbe: once({ tcpSocket: { port, host: "127.0.0.1" } }) });
    await readyAs("tcp", true);
    await server[Symbol.asyncDispose]();
    await readyAs("tcp", false);
    const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    await eventOf("tcp", `Warning Unhealthy Readiness probe failed: ${refused}`);
  });

  it("ask a gRPC service about itself", async () => {
    const asked: string[] = [];
    let answer = Buffer.from([8, 2]);
    const server = new GrpcServer();
    server.register(
      "/grpc.health.v1.Health/Check",
      (call: { readonly request: Buffer }, reply: (err: null, bytes: Buffer) => void) => {
        asked.push(call.request.subarray(2).toString());
        reply(null, answer);
      },
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
      "unary",
    );
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("0.0.0.0:0", ServerCredentials.createInsecure(), (err, bound) =>
        err === null ? resolve(bound) : reject(err),
      );
    });
    using _server = { [Symbol.dispose]: () => server.forceShutdown() };
    await makePod("grpc", { readinessProbe: once({ grpc: { port, service: "db" } }) });
    await eventOf(
      "grpc",
      'Warning Unhealthy Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
    );
    answer = Buffer.from([8, 1]);
    await readyAs("grpc", true);
    assert.equal(asked[0], "db");
  });
});

describe("an agent that was away", { skip }, () => {
  it("leaves ready what was ready, and asks again", async () => {
    let isAsked = Promise.withResolvers<void>();
    await using server = await Loopback.http((_, response) => {
      isAsked.resolve();
      response.end();
    });
    await using cluster = await Cluster.start();
    const httpGet = { port: server.port, host: "127.0.0.1" };
    const probe = { httpGet, periodSeconds: 1, timeoutSeconds: 30 };
    await cluster.makePod("web", { containers: [sleeper({ readinessProbe: probe })] });
    const readiness = ({ status }: Pod): object | undefined =>
      status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "True");
    const before = await cluster.podWhere(
      "web",
      "readiness",
      (pod) => readiness(pod) !== undefined,
    );
    await cluster.node.kill();
    isAsked = Promise.withResolvers();
    await cluster.node.restart();
    await isAsked.promise;
    // Something that happened after that is there: so is what it would have said before.
    await cluster.runningPod("later", {});
    const after = await cluster.pod("web");
    assert.deepEqual(readiness(after), readiness(before));
    assert.equal(after.status?.containerStatuses?.[0]?.restartCount, 0);
  });
});

function onAllAddresses(server: HttpServer): Promise<Loopback> {
  return Loopback.of(server, "0.0.0.0");
}
