// Real etcd members as child processes, for tests: on free ports of the loopback, with data in a temporary
// directory, gone with the test whatever becomes of it. Members can be killed, paused and started again.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { EtcdClient, type EtcdClientOptions } from "../../src/storage/etcd/etcd-client.ts";
import { encodeRange, rangeRpc } from "../../src/storage/etcd/messages.ts";

export interface EtcdClusterOptions {
  readonly binary: string;
  readonly members?: number;
  /** Further flags for every member. */
  readonly flags?: readonly string[];
  /** Files for TLS of clients. With `ca`, clients need certificates too. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly ca?: string };
  /** What a client needs to see that the cluster serves, with TLS. */
  readonly client?: Pick<EtcdClientOptions, "tls" | "user">;
  /** Where member i lives: a command that runs another one in its place, and its address. */
  readonly places?: readonly { readonly run: readonly string[]; readonly host: string }[];
}

/** Room for values of 3 MiB; and elections in a fifth of a second, as the tests have many. */
const commonFlags = ["--max-request-bytes=8388608", "--logger=zap", "--log-level=error"];
const timing = ["--heartbeat-interval=20", "--election-timeout=200"];
/** However the test's process ends. */
const dieWithTest = ["setpriv", "--pdeathsig", "KILL"];
const startTimeoutMs = 30_000;

export class EtcdMember {
  readonly url: string;
  readonly #command: readonly string[];
  #child: ChildProcess | undefined;
  #output = "";

  constructor(url: string, command: readonly string[]) {
    this.url = url;
    this.#command = command;
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error(`etcd ${this.url} does not run`);
    return pid;
  }

  /** What it printed, the end of it. */
  get output(): string {
    return this.#output;
  }

  start(): void {
    const [program = "", ...args] = this.#command;
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.on("error", (err) => {
      this.#output += err.message;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-4000);
      });
    }
    this.#child = child;
  }

  /** kill -9, and waits until it is dead. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const dead = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await dead;
  }

  /** It keeps its connections, and says nothing. */
  pause(): void {
    process.kill(this.pid, "SIGSTOP");
  }

  resume(): void {
    process.kill(this.pid, "SIGCONT");
  }
}

export class EtcdCluster implements AsyncDisposable {
  readonly members: readonly EtcdMember[];
  readonly #options: EtcdClusterOptions;
  readonly #dir: TempDir;

  private constructor(members: readonly EtcdMember[], options: EtcdClusterOptions, dir: TempDir) {
    this.members = members;
    this.#options = options;
    this.#dir = dir;
  }

  /** Starts the members, and resolves when they serve. */
  static async start(options: EtcdClusterOptions): Promise<EtcdCluster> {
    const dir = tempDir();
    const members = await plan(options, dir);
    const cluster = new EtcdCluster(members, options, dir);
    try {
      for (const member of members) member.start();
      await cluster.serves();
      return cluster;
    } catch (err) {
      await cluster[Symbol.asyncDispose]();
      throw err;
    }
  }

  get endpoints(): string[] {
    return this.members.map(({ url }) => url);
  }

  /** Resolves when every one of these members answers a read that all agree on. */
  async serves(members: readonly EtcdMember[] = this.members): Promise<void> {
    await Promise.all(members.map((member) => this.#serves(member)));
  }

  async #serves(member: EtcdMember): Promise<void> {
    const client = new EtcdClient({
      endpoints: [member.url],
      ...this.#options.client,
      clock: systemClock,
      random: systemRandom,
      logger: new CaptureLogger(),
    });
    const untilMs = performance.now() + startTimeoutMs;
    try {
      for (;;) {
        const said = await client.ask(rangeRpc, encodeRange({ key: "/" }), 1000);
        const problem = said.get(member.url);
        if (problem === undefined) return;
        // Without a user, a refusal for want of one is an answer as well.
        if (/user name/.test(problem)) return;
        if (performance.now() > untilMs) {
          throw new Error(`etcd ${member.url} does not serve: ${problem}\n${member.output}`);
        }
        await sleep(20);
      }
    } finally {
      client.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    this.#dir[Symbol.dispose]();
  }
}

async function plan(options: EtcdClusterOptions, dir: TempDir): Promise<EtcdMember[]> {
  const { members = 1, places, tls } = options;
  const hosts = Array.from({ length: members }, (_, i) => places?.[i]?.host ?? "127.0.0.1");
  // In a network namespace of its own every port is free.
  const ports = places === undefined ? await freePorts(2 * members) : [];
  const peers = hosts.map((host, i) => `http://${host}:${ports[2 * i] ?? 2380}`);
  const scheme = tls === undefined ? "http" : "https";
  return hosts.map((host, i) => {
    const url = `${scheme}://${host}:${ports[2 * i + 1] ?? 2379}`;
    const dataDir = dir.join(`member-${i}`);
    mkdirSync(dataDir, { mode: 0o700 });
    return new EtcdMember(url, [
      ...(places?.[i]?.run ?? []),
      ...dieWithTest,
      options.binary,
      `--name=m${i}`,
      `--data-dir=${dataDir}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peers[i]}`,
      `--initial-advertise-peer-urls=${peers[i]}`,
      `--initial-cluster=${peers.map((peer, j) => `m${j}=${peer}`).join(",")}`,
      ...commonFlags,
      ...timing,
      ...(tls === undefined ? [] : [`--cert-file=${tls.certificate}`, `--key-file=${tls.key}`]),
      ...(tls?.ca === undefined ? [] : [`--trusted-ca-file=${tls.ca}`, "--client-cert-auth"]),
      ...(options.flags ?? []),
    ]);
  });
}

/** All are held until all are found, so that none is given twice. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(0, "127.0.0.1", resolve);
      });
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
