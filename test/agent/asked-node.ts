// A node of a real server that is only asked: no pods are run for it. Its containers are directories of this machine, in which
// programs are run as they are; so the way from the client to the node is tested by itself.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CertificateRenewal } from "../../src/agent/join/certificate-renewal.ts";
import type { NodeIdentity } from "../../src/agent/join/node-identity.ts";
import { NodeServer } from "../../src/agent/server/node-server.ts";
import type { ServedPods } from "../../src/agent/server/served-pods.ts";
import type { Pod, PodStatus } from "../../src/api/types.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { systemRandom } from "../../src/base/random.ts";
import { type Part, RunGroup } from "../../src/base/run-group.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import {
  type ContainerStatus,
  ExecError,
  type ExecSession,
  type ExecSpec,
  type Runtime,
} from "../../src/runtime/runtime.ts";
import type { DriftlessServer } from "../support/driftless-server.ts";
import { JoiningMachine, tokenFor } from "./joining.ts";

export interface AskedNodeOptions {
  readonly name?: string;
  /** On a port, and without a tunnel. */
  readonly isListening: boolean;
}

export class AskedNode implements AsyncDisposable {
  readonly name: string;
  readonly server: NodeServer;
  readonly renewal: CertificateRenewal;
  readonly identity: NodeIdentity;
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly containers: ContainerStatus[] = [];
  readonly #exits = new Set<(status: ContainerStatus) => void>();
  readonly #pods = new Map<string, { readonly pod: Pod; status: PodStatus }>();
  /** Of programs that run. */
  readonly pids: Set<number> = new Set();
  readonly #machine: JoiningMachine;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  private constructor(
    machine: JoiningMachine,
    identity: NodeIdentity,
    { isListening }: AskedNodeOptions,
  ) {
    const listen = isListening ? { host: "127.0.0.1", port: 0 } : undefined;
    this.#machine = machine;
    this.identity = identity;
    this.name = identity.nodeName;
    const base = { clock: systemClock, random: systemRandom, logger: this.logger };
    const { connection } = identity;
    const client = new ApiClient({ connection, clock: systemClock, timeoutMs: 10_000 });
    const pods: ServedPods = {
      find: (namespace, name) => this.#pods.get(`${namespace}/${name}`),
      list: () => [...this.#pods.values()],
    };
    const { name: nodeName } = this;
    this.server = new NodeServer({
      ...{ nodeName, identity, client, pods, listen, ...base },
      runtime: this.#runtime(),
      metrics: createMetrics(),
    });
    this.renewal = new CertificateRenewal({
      ...{ files: machine.files, nodeName, client, metrics: createMetrics(), ...base },
      hosts: isListening ? [nodeName] : [],
      onRenewed: () => this.server.renew(),
    });
  }

  static async start(
    server: DriftlessServer,
    options: AskedNodeOptions = { isListening: false },
  ): Promise<AskedNode> {
    const machine = new JoiningMachine();
    const { name = "node-1", isListening } = options;
    const identity = await machine.join(await tokenFor(server), name);
    const node = new AskedNode(machine, identity, options);
    const all: readonly Part[] = [
      ...node.server.parts,
      { name: "renewal", run: (signal) => node.renewal.run(signal) },
    ];
    const parts = isListening ? all.filter((part) => part.name !== "tunnel") : all;
    node.#running = new RunGroup({ parts, clock: systemClock }).run(node.#stop.signal);
    return node;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#machine[Symbol.dispose]();
  }

  /** A pod of the server, here, with one container "main" that runs. Its log has these lines. */
  async pod(server: DriftlessServer, name: string, log: readonly string[] = []): Promise<Pod> {
    const { status, text } = await server.fetch("POST", "/api/v1/namespaces/default/pods", {
      metadata: { name },
      spec: {
        nodeName: this.name,
        automountServiceAccountToken: false,
        containers: [{ name: "main", image: "host" }],
      },
    });
    if (status !== 201) throw new Error(`no pod was made: ${text}`);
    const pod = JSON.parse(text) as Pod;
    this.#pods.set(`default/${name}`, { pod, status: pod.status });
    const directory = join(this.#machine.dataDir, "logs", name);
    mkdirSync(directory, { recursive: true });
    const logPath = join(directory, "0.log");
    const now = new Date(systemClock.now()).toISOString().replace("Z", "000000Z");
    writeFileSync(logPath, log.map((line) => `${now} stdout F ${line}\n`).join(""));
    this.containers.push({
      ...{ id: name, podUid: pod.metadata.uid ?? "", podName: name, podNamespace: "default" },
      ...{ name: "main", attempt: 0, annotations: {}, imageName: "host", imageId: "host" },
      ...{ logPath, startedAtMs: systemClock.now(), hasTty: false, stdin: "none" },
      ...{ pid: 1, end: undefined },
    });
    return pod;
  }

  setStatus(name: string, status: PodStatus): void {
    const found = this.#pods.get(`default/${name}`);
    if (found !== undefined) found.status = status;
  }

  #runtime(): Pick<Runtime, "list" | "onExit" | "exec" | "attach"> {
    return {
      list: () => this.containers,
      onExit: (handler) => {
        this.#exits.add(handler);
        return { [Symbol.dispose]: () => this.#exits.delete(handler) };
      },
      exec: (_, spec) => this.#exec(spec),
      attach: async () => {
        throw new ExecError("this container cannot be attached to");
      },
    };
  }

  async #exec({ argv, hasStdin }: ExecSpec): Promise<ExecSession> {
    const [program = "", ...args] = argv;
    const child = spawn(program, args, { stdio: "pipe", detached: true });
    const ended = once(child, "close") as Promise<[number | null]>;
    ended.catch(() => undefined);
    try {
      await once(child, "spawn");
    } catch (cause) {
      throw new ExecError(`exec: ${program}: not found`, { exitCode: 127, cause });
    }
    const pid = child.pid ?? 0;
    this.pids.add(pid);
    if (!hasStdin) child.stdin.end();
    return {
      stdin: hasStdin ? child.stdin : undefined,
      stdout: child.stdout,
      stderr: child.stderr,
      resize: () => undefined,
      ended: ended.then(([code]) => {
        this.pids.delete(pid);
        return { exitCode: code ?? 137, signal: undefined };
      }),
      [Symbol.asyncDispose]: async () => {
        if (!this.pids.has(pid)) return;
        process.kill(-pid, "SIGKILL");
        await ended;
      },
    };
  }
}
