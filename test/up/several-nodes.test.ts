// Several machines, each a network namespace with its own way to the server: they join with the command that the server prints.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Deployment, Node, Pod } from "../../src/api/types.ts";
import { Kubectl } from "../agent/kubectl-session.ts";
import { type DriftlessUp, endBelow, eventually, program, UpDirectory } from "./driftless-up.ts";

/** Of a block that is for documents and tests: nobody's network is in the way. */
const NETWORK = "198.18.77";
const SERVER = `${NETWORK}.1`;
const prefix = `dl${process.pid % 100_000}`;

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: "pipe" });
}

/** A switch that the server is at, and machines that are plugged into it. */
class Network implements Disposable {
  readonly #bridge = `${prefix}br`;
  readonly #machines: string[] = [];

  constructor() {
    ip("link", "add", this.#bridge, "type", "bridge");
    ip("addr", "add", `${SERVER}/24`, "dev", this.#bridge);
    ip("link", "set", this.#bridge, "up");
  }

  /** The name of its namespace. */
  plug(number: number): string {
    const name = `${prefix}n${number}`;
    const [here, there] = [`${prefix}h${number}`, `${prefix}t${number}`];
    ip("netns", "add", name);
    this.#machines.push(name);
    ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name);
    ip("link", "set", here, "master", this.#bridge, "up");
    ip("-n", name, "addr", "add", `${NETWORK}.${10 + number}/24`, "dev", there);
    ip("-n", name, "link", "set", there, "up");
    ip("-n", name, "link", "set", "lo", "up");
    return name;
  }

  [Symbol.dispose](): void {
    for (const name of this.#machines) ip("netns", "delete", name);
    ip("link", "delete", this.#bridge);
  }
}

/** The agent of one machine, with a directory of its own. */
class Machine implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #dataDir: string;
  #said = "";

  constructor(namespace: string, dataDir: string, command: string) {
    this.#dataDir = dataDir;
    const words = command.split(" ").slice(1);
    const argv = [process.execPath, program, ...words, "--data-dir", dataDir];
    // Only the network is another one: what is mounted has to be found when all is over.
    const enter = [`--net=/run/netns/${namespace}`, "--", ...argv, "--node-name", namespace];
    const child = spawn("nsenter", enter, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#said += text;
      });
    }
    this.#process = child;
  }

  get said(): string {
    return this.#said;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await ended;
    }
    await endBelow(this.#dataDir);
  }
}

/** Why it cannot be tried here; false if it can. */
function obstacle(): string | false {
  if (process.getuid?.() !== 0) return "needs root, for network namespaces";
  try {
    using network = new Network();
    network.plug(0);
    return false;
  } catch (err) {
    return `cannot make network namespaces: ${String(err)}`;
  }
}

const NAMES = [1, 2, 3].map((number) => `${prefix}n${number}`);

function tokenCommand(up: DriftlessUp): string {
  const argv = [program, "token", "create", "--data-dir", up.directory.path, "-o", "json"];
  const text = execFileSync(process.execPath, argv, { encoding: "utf8" });
  return (JSON.parse(text) as { readonly command: string }).command;
}

function spreadDeployment(): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: "main",
              image: "host",
              command: ["sh", "-c", "echo hello from $NODE; sleep infinity"],
              env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
            },
          ],
        },
      },
    },
  } as unknown as Deployment;
}

describe("several machines", { skip: obstacle() }, () => {
  it("join over the network, share the pods of a Deployment, and are reached through their tunnels", async (t) => {
    using network = new Network();
    await using directory = new UpDirectory();
    const up = await directory.start({ listen: `${SERVER}:0`, flags: ["--no-node"] });
    // The first start of a server that others reach makes a token; the next ones are asked for.
    const [, first = ""] = /^ {2}(driftless node --server .*)$/m.exec(up.stdout) ?? [];
    assert.match(
      first,
      new RegExp(`--server https://${SERVER}:\\d+ --token \\S+ --ca-hash sha256:`),
    );
    const commands = [first, tokenCommand(up), tokenCommand(up)];
    await using machines = new AsyncDisposableStack();
    const agents = commands.map((command, i) => {
      const name = network.plug(i + 1);
      return machines.use(new Machine(name, join(directory.root, name), command));
    });
    await eventually("three nodes that are ready", async () => {
      const { items } = await up.ask<{ items: readonly Node[] }>("GET", "/api/v1/nodes");
      const ready = items.filter(({ status }) =>
        status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
      );
      const names = ready.map(({ metadata }) => metadata.name ?? "").sort();
      assert.deepEqual(names, NAMES, agents.map(({ said }) => said.slice(-500)).join("\n"));
      const untainted = items.filter(({ spec }) => (spec.taints ?? []).length === 0);
      assert.equal(untainted.length, 3);
    });

    await up.ask("POST", "/apis/apps/v1/namespaces/default/deployments", spreadDeployment());
    const pods = await eventually("a pod on each machine", async () => {
      const { items } = await up.ask<{ items: readonly Pod[] }>(
        "GET",
        "/api/v1/namespaces/default/pods",
      );
      const running = items.filter(({ status }) => status?.phase === "Running");
      assert.deepEqual(running.map(({ spec }) => spec.nodeName ?? "").sort(), NAMES);
      return running;
    });

    const kubectl = await Kubectl.of("1.36", directory.kubeconfig);
    if (typeof kubectl === "string") return t.diagnostic(`nobody asked the pods: ${kubectl}`);
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await kubectl.run(...args);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    for (const { metadata, spec } of pods) {
      const { name = "" } = metadata;
      const words = `hello from ${spec.nodeName}\n`;
      await eventually(`the log of ${name}`, async () =>
        assert.equal(await run("logs", name), words),
      );
      assert.equal(await run("exec", name, "--", "sh", "-c", "echo $NODE"), `${spec.nodeName}\n`);
    }
  });
});
