// A server that has one pod and no kubelet: what clients need before they open exec, attach or port-forward, and local
// processes and ports at the other end. What the protocols did is kept for tests to look at.

import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { createAuthority, DAY_MS, issue } from "../../src/apiserver/pki/issue.ts";
import { kubeconfig } from "../../src/apiserver/pki/kubeconfig.ts";
import { systemClock } from "../../src/base/clock.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { acceptCommand } from "../../src/streams/accept-command.ts";
import { acceptPortForward } from "../../src/streams/accept-port-forward.ts";
import type {
  CommandEnd,
  CommandStreams,
  TerminalSize,
} from "../../src/streams/command-streams.ts";
import { type Upgrade, UpgradeError } from "../../src/streams/upgrade.ts";

export interface Session {
  readonly protocol: string;
  readonly command: readonly string[];
  readonly sizes: TerminalSize[];
  /** Resolves with the size number `count`, counted from 1. */
  sized(count: number): Promise<void>;
  readonly streams: CommandStreams;
  readonly process: ChildProcess;
  /** Settles when the client has everything, or is gone. */
  readonly ended: Promise<void>;
}

const pod = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "p", namespace: "default", uid: "0a" },
  spec: { containers: [{ name: "c", image: "none", stdin: true }] },
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [{ name: "c", ready: true, restartCount: 0, state: { running: {} } }],
  },
};

const answers: Readonly<Record<string, unknown>> = {
  "/version": { major: "1", minor: "33", gitVersion: "v1.33.0" },
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [] },
  "/api/v1": {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [
      { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get", "list"] },
    ],
  },
  "/api/v1/namespaces/default/pods/p": pod,
};

export class PodServer implements AsyncDisposable {
  readonly kubeconfig: string;
  readonly sessions: Session[] = [];
  /** How each port-forward was asked for. */
  readonly forwards: string[] = [];
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly #server: Server;
  readonly #dir: TempDir;
  readonly #sockets = new Set<Socket>();
  readonly #waiters = new Set<() => void>();
  readonly #stop = new AbortController();

  private constructor(server: Server, dir: TempDir) {
    this.#server = server;
    this.#dir = dir;
    this.kubeconfig = dir.join("kubeconfig");
  }

  static async start(): Promise<PodServer> {
    const nowMs = Date.now();
    const authority = await createAuthority({ commonName: "authority", nowMs, days: 1 });
    const leaf = { authority, nowMs, lifeMs: DAY_MS };
    const own = await issue({ ...leaf, commonName: "server", hosts: ["127.0.0.1"] });
    const user = await issue({ ...leaf, commonName: "user" });
    const server = createServer({ cert: own.certificate, key: own.key });
    const self = new PodServer(server, tempDir());
    server.on("request", answer);
    server.on("secureConnection", (socket: Socket) => {
      self.#sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => self.#sockets.delete(socket));
    });
    server.on("upgrade", (request, socket, head) => {
      void self.#upgrade({ request, socket, head });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const text = kubeconfig({
      server: `https://127.0.0.1:${port}`,
      authority: authority.certificate,
      user: "user",
      credentials: user,
    });
    writeFileSync(self.kubeconfig, text);
    return self;
  }

  /** The session number `index`, counted from 0, when it is there. */
  async session(index: number): Promise<Session> {
    for (;;) {
      const session = this.sessions[index];
      if (session) return session;
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const { process } of this.sessions) process.kill("SIGKILL");
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
    this.#dir[Symbol.dispose]();
  }

  async #upgrade(upgrade: Upgrade): Promise<void> {
    const url = new URL(upgrade.request.url ?? "", "https://server");
    try {
      if (url.pathname.endsWith("/portforward")) await this.#forward(upgrade, url);
      else await this.#run(upgrade, url);
    } catch (err) {
      if (!(err instanceof UpgradeError)) return;
      const body = JSON.stringify({ kind: "Status", status: "Failure", message: err.message });
      upgrade.socket.end(
        `HTTP/1.1 ${err.status} Refused\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    }
  }

  async #run(upgrade: Upgrade, { searchParams }: URL): Promise<void> {
    const has = (name: string): boolean => /^(true|1)$/i.test(searchParams.get(name) ?? "");
    const wanted = {
      hasStdin: has("stdin"),
      hasStdout: has("stdout"),
      hasStderr: has("stderr") && !has("tty"),
      hasTty: has("tty"),
    };
    const streams = await acceptCommand(upgrade, wanted, { clock: systemClock });
    const command = searchParams.getAll("command");
    const [program = "cat", ...args] = command;
    const child = spawn(program, args, { stdio: "pipe" });
    const sizes: TerminalSize[] = [];
    const events = new EventEmitter();
    const session: Session = {
      protocol: protocolOf(upgrade.request),
      command,
      sizes,
      sized: async (count) => {
        while (sizes.length < count) await once(events, "size");
      },
      streams,
      process: child,
      ended: bridge(streams, child),
    };
    streams.onResize((size) => {
      sizes.push(size);
      events.emit("size");
    });
    this.sessions.push(session);
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
    await session.ended;
  }

  async #forward(upgrade: Upgrade, { searchParams }: URL): Promise<void> {
    this.forwards.push(protocolOf(upgrade.request));
    const ports = searchParams.getAll("ports").flatMap((list) => list.split(",").map(Number));
    const options = {
      pod: { name: "p", uid: "0a" },
      connect: async (port: number): Promise<Socket> => {
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
        await once(socket, "connect");
        return socket;
      },
      clock: systemClock,
      logger: this.logger,
      ports,
    };
    await acceptPortForward(upgrade, options, this.#stop.signal);
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const found = answers[new URL(request.url ?? "", "https://server").pathname];
  const missing = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "NotFound",
    code: 404,
  };
  response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(found ?? missing));
}

function protocolOf({ headers, headersDistinct }: IncomingMessage): string {
  const offered =
    headersDistinct["x-stream-protocol-version"] ?? headersDistinct["sec-websocket-protocol"];
  return `${headers.upgrade} ${offered?.[0]?.split(",")[0] ?? ""}`;
}

async function bridge(streams: CommandStreams, child: ChildProcess): Promise<void> {
  const kill = (): void => void child.kill("SIGKILL");
  if (streams.signal.aborted) kill();
  streams.signal.addEventListener("abort", kill);
  const copies: Promise<unknown>[] = [];
  for (const name of ["stdout", "stderr"] as const) {
    const [from, to] = [child[name], streams[name]];
    if (from && to) copies.push(pipeline(from, to).catch(() => undefined));
    else from?.resume();
  }
  if (child.stdin) {
    child.stdin.on("error", () => undefined);
    if (streams.stdin) pipeline(streams.stdin, child.stdin).catch(() => undefined);
    else child.stdin.end();
  }
  const end = await endOf(child);
  await Promise.all(copies);
  await streams.finish(end);
}

function endOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once("exit", (code) => resolve({ exitCode: code ?? 137 }));
    child.once("error", (err) =>
      resolve({ failure: `error executing command in container: ${err.message}` }),
    );
  });
}
