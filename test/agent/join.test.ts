import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { CertificateRenewal } from "../../src/agent/join/certificate-renewal.ts";
import { certificateRequest } from "../../src/agent/join/certificate-request.ts";
import { JoinError } from "../../src/agent/join/join-error.ts";
import {
  identityFromKubeconfig,
  loadIdentity,
  type NodeIdentity,
} from "../../src/agent/join/node-identity.ts";
import { TestAuthority } from "../../src/agent/join/testing/test-authority.ts";
import { NODES, type NodeObject } from "../../src/agent/node/node-kinds.ts";
import { createAuthority, issue } from "../../src/apiserver/pki/issue.ts";
import { certificateKeyHash } from "../../src/apiserver/pki/key-hash.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { ObjectWatch } from "../../src/client/object-watch.ts";
import { driftless } from "../identity/command.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { JoiningMachine, tokenFor, tokenFromCommand } from "./joining.ts";

const DAY_MS = 24 * 3600_000;

function clientOf({ connection }: NodeIdentity): ApiClient {
  return new ApiClient({ connection, clock: systemClock, timeoutMs: 60_000 });
}

async function whoami(identity: NodeIdentity): Promise<string> {
  using client = clientOf(identity);
  const answer = await client.request({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  });
  const { status } = answer as { readonly status: { readonly userInfo: { username: string } } };
  return status.userInfo.username;
}

describe("joining a server", () => {
  let server: DriftlessServer;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
  });
  after(() => server[Symbol.asyncDispose]());

  it("makes a machine a node, with a key that only it can read", async () => {
    using machine = new JoiningMachine();
    const identity = await machine.join(await tokenFromCommand(server), "j1");
    equal(await whoami(identity), "system:node:j1");
    const names = readdirSync(machine.files.directory);
    deepEqual(names.sort(), ["authority.crt", "identity.pem", "kubeconfig"]);
    equal(statSync(`${machine.files.directory}/identity.pem`).mode & 0o777, 0o600);
    equal(statSync(machine.files.directory).mode & 0o777, 0o700);
  });

  it("is over when it is done: a start without or with the same words asks for nothing", async () => {
    using machine = new JoiningMachine();
    const words = await tokenFor(server);
    await machine.join(words, "j2");
    const held = machine.files.identity();
    const again = await machine.join({ ...words, token: "aaaaaa.0000000000000000" }, "j2");
    deepEqual(machine.files.identity(), held);
    equal(await whoami(again), "system:node:j2");
    const loaded = loadIdentity(machine.files);
    equal(loaded?.nodeName, "j2");
    equal(loaded && (await whoami(loaded)), "system:node:j2");
  });

  it("goes on with the same key after a crash at any step", async () => {
    using machine = new JoiningMachine();
    const words = await tokenFor(server);
    await machine.join(words, "j3");
    const { directory } = machine.files;
    const key = machine.files.identity()?.key ?? "";
    rmSync(`${directory}/kubeconfig`); // Before step (4).
    await machine.join(words, "j3");
    equal(machine.files.identity()?.key, key);
    rmSync(`${directory}/kubeconfig`);
    rmSync(`${directory}/identity.pem`); // Before step (3), and the answer was lost.
    writeFileSync(`${directory}/joining.key`, key);
    equal(await whoami(await machine.join(words, "j3")), "system:node:j3");
    equal(machine.files.identity()?.key, key);
  });

  it("is refused by the command with the reason said once", async () => {
    using first = new JoiningMachine();
    using directory = tempDir();
    const words = await tokenFor(server);
    await first.join(words, "j14");
    const join = ["--server", server.url, "--token", words.token, "--ca-hash", words.caHash];
    const own = ["--data-dir", directory.path, "--node-name", "j14b"];
    const { code, stderr } = await driftless("node", ...own, ...join);
    equal(code, 1);
    equal(stderr.match(/was used by another machine/g)?.length, 1, stderr);
  });

  it("tells what is wrong with the token, and never shows it", async () => {
    using first = new JoiningMachine();
    using second = new JoiningMachine();
    const words = await tokenFor(server);
    await first.join(words, "j4");
    await rejects(second.join(words, "j4b"), (err: Error) => {
      ok(err instanceof JoinError);
      match(
        err.message,
        /^Cannot join https:\S+ as node "j4b": the join token "\w{6}" was used by another machine, for the node "j4"/,
      );
      return true;
    });
    const wrong = { ...words, token: `${words.token.slice(0, 7)}0123456789abcdef` };
    await rejects(second.join(wrong, "j4b"), (err: Error) => {
      match(err.message, /does not know the join token "\w{6}": it is wrong, over or was deleted/);
      ok(
        !JSON.stringify([err.message, String(err.cause), second.logger.records]).includes(
          "0123456789abcdef",
        ),
      );
      return true;
    });
  });

  it("refuses the name of another machine's node, and says how to take its place", async () => {
    using first = new JoiningMachine();
    using second = new JoiningMachine();
    await first.join(await tokenFor(server), "j5");
    await rejects(
      second.join(await tokenFor(server), "j5"),
      /another machine registered: .*driftless token create --node j5/,
    );
    await second.join(await tokenFor(server, "j5"), "j5");
    await rejects(second.join(await tokenFor(server), "j5x"), /is the node "j5" already.*remove /);
  });

  it("lets a machine back in whose Node was deleted, if it is given a new token", async () => {
    using machine = new JoiningMachine();
    const words = await tokenFor(server);
    const identity = await machine.join(words, "j6");
    await server.fetch("DELETE", "/api/v1/nodes/j6");
    await rejects(whoami(identity), /"j6" was deleted: its machine has to join again/);
    const unknown = { ...words, token: "zzzzzz.0000000000000000" };
    await rejects(machine.join(unknown, "j6"), /does not know the join token "zzzzzz"/);
    const back = await machine.join(await tokenFor(server), "j6");
    using client = clientOf(back);
    await client.request({ method: "GET", path: "/api/v1/nodes/j6" });
    const [, refused] = machine.logger.records;
    match(refused?.message ?? "", /does not take this node's certificate: joining again/);
  });

  it("lets a machine back in whose certificate ran out, with any new token", async () => {
    using machine = new JoiningMachine();
    await machine.join(await tokenFor(server), "j12");
    const { key } = machine.files.identity() ?? { key: "" };
    const csr = await certificateRequest(key);
    const span = { startMs: 0, endMs: Date.UTC(2020) };
    const certificate = await (await TestAuthority.make()).sign({ csr, nodeName: "j12", ...span });
    machine.files.renew({ key, certificate });
    const back = await machine.join(await tokenFor(server), "j12");
    equal(await whoami(back), "system:node:j12");
    equal(machine.files.identity()?.key, key);
  });

  it("does not trust a server with another authority than the token's", async () => {
    using machine = new JoiningMachine();
    const words = await tokenFor(server);
    const caHash = `sha256:${"0".repeat(64)}`;
    await rejects(machine.join({ ...words, caHash }, "j7"), (err: Error) => {
      ok(err instanceof JoinError);
      match(err.message, /shows no authority with the hash/);
      return true;
    });
    equal(readdirSync(machine.dataDir).length, 0);
  });

  it("says that nobody is there, and stays a node while the server is away", async () => {
    using machine = new JoiningMachine();
    using stranger = new JoiningMachine();
    const words = await tokenFor(server);
    await machine.join(words, "j8");
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const away = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    listener.close();
    await rejects(stranger.join({ ...words, server: away }, "j8b"), /the server cannot be reached/);
    equal((await machine.join({ ...words, server: away }, "j8")).connection.server, away);
    equal(loadIdentity(machine.files)?.connection.server, server.url);
  });

  it("waits for a server that is not up yet", async (t) => {
    using machine = new JoiningMachine();
    let tries = 0;
    const entrance = createServer((socket) => {
      socket.on("error", () => undefined);
      if (++tries <= 2) return socket.destroy();
      const inside = connect(server.port, "127.0.0.1").on("error", () => socket.destroy());
      return socket.pipe(inside).pipe(socket);
    }).listen(0, "127.0.0.1");
    t.after(() => entrance.close());
    await once(entrance, "listening");
    const url = `https://127.0.0.1:${(entrance.address() as AddressInfo).port}`;
    const words = { ...(await tokenFor(server)), server: url };
    equal(await whoami(await machine.join(words, "j9", 60_000)), "system:node:j9");
    ok(tries > 2);
  });

  it("says that the clocks differ when the server's certificate does not hold here", async (t) => {
    using machine = new JoiningMachine();
    const nowMs = Date.now() + 10 * DAY_MS;
    const authority = await createAuthority({ commonName: "future", nowMs: Date.now(), days: 30 });
    const named = { authority, commonName: "future", hosts: ["127.0.0.1"] };
    const { certificate, key } = await issue({ ...named, nowMs, lifeMs: DAY_MS });
    const chain = `${certificate}\n${authority.certificate}`;
    const future = createTlsServer({ cert: chain, key }).listen(0, "127.0.0.1");
    t.after(() => future.close());
    await once(future, "listening");
    const url = `https://127.0.0.1:${(future.address() as AddressInfo).port}`;
    const caHash = certificateKeyHash(authority.certificate);
    await rejects(
      machine.join({ server: url, caHash, token: "abcdef.0123456789abcdef" }, "j10"),
      /certificate does not hold at 20\S+Z, which is what the clock of this machine says/,
    );
  });

  it("takes an identity from a kubeconfig", async () => {
    using machine = new JoiningMachine();
    await machine.join(await tokenFor(server), "j11");
    const own = identityFromKubeconfig({ file: machine.files.kubeconfig });
    equal(own.nodeName, "j11");
    equal(await whoami(own), "system:node:j11");
    const admin = identityFromKubeconfig({ file: server.kubeconfig, nodeName: "this" });
    equal(admin.nodeName, "this");
    await rejects(
      async () => identityFromKubeconfig({ file: server.kubeconfig }),
      /Say the node's name/,
    );
    await rejects(
      async () => identityFromKubeconfig({ file: machine.files.kubeconfig, nodeName: "j12" }),
      /it is of the node "j11"/,
    );
  });
});

describe("a node's certificate", () => {
  it("is renewed while it runs: new requests use it, and an open watch stays open", async (t) => {
    await using server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    using machine = new JoiningMachine();
    const identity = await machine.join(await tokenFor(server), "r1");
    using client = clientOf(identity);
    const stop = new AbortController();
    const seen: string[] = [];
    const changed = { next: Promise.withResolvers<void>() };
    const watch = new ObjectWatch<NodeObject>({
      client,
      kind: NODES,
      name: "r1",
      onChange: (node) => {
        seen.push(node?.metadata.annotations?.["driftless.dev/machine-key"] ?? "");
        changed.next.resolve();
      },
      clock: systemClock,
      random: { next: () => 0, uint32: () => 0 },
      logger: new CaptureLogger(),
    });
    const watching = watch.run(stop.signal);
    await changed.next.promise;
    changed.next = Promise.withResolvers();

    const clock = new FakeClock();
    const first = machine.files.identity();
    const renewed = Promise.withResolvers<void>();
    const logger = new CaptureLogger();
    const renewal = new CertificateRenewal({
      files: machine.files,
      nodeName: "r1",
      hosts: [],
      onRenewed: () => undefined,
      client: {
        request: async (asked) => {
          const answer = await client.request(asked);
          queueMicrotask(() => renewed.resolve());
          return answer;
        },
      },
      // Its clock starts in 2024: brought to the day after 80 of the 90 days are over.
      clock: shifted(clock, Date.now() + 82 * DAY_MS),
      random: { next: () => 0, uint32: () => 0 },
      logger,
      metrics: createMetrics(),
    });
    const renewing = renewal.run(stop.signal);
    t.after(async () => {
      stop.abort();
      await Promise.all([watching, renewing]);
    });
    await renewed.promise;
    await clock.step(0);
    const second = machine.files.identity();
    notEqual(second?.key, first?.key);
    notEqual(second?.certificate, first?.certificate);
    await changed.next.promise; // The server wrote the new key on the Node, and the old watch told of it.
    equal(seen.length, 2);

    await client.request({ method: "GET", path: "/api/v1/nodes/r1" });
    equal(client.connections, 2); // The watch has kept its own.
    match(logger.records[0]?.message ?? "", /^renewed the certificate/);
    equal(
      readFileSync(`${machine.files.directory}/identity.pem`, "utf8").includes(first?.key ?? "-"),
      false,
    );
  });
});

/** The same timers, with another time of the day. */
function shifted(clock: FakeClock, nowMs: number): FakeClock {
  const offsetMs = nowMs - clock.now();
  return Object.assign(Object.create(clock) as FakeClock, {
    now: () => clock.now() + offsetMs,
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    schedule: (ms: number, callback: () => void) => clock.schedule(ms, callback),
  });
}
