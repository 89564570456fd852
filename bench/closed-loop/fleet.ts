// Many real pods on one node that all use one ConfigMap, through a volume each. Server and agent are processes of their own, so that it is
// known what each of them uses.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiObject } from "../../src/api/object.ts";
import type { ConfigView, Pod } from "../../src/api/types.ts";
import { DriftlessNode } from "../../test/support/driftless-node.ts";
import { DriftlessServer } from "../../test/support/driftless-server.ts";
import { makeConfigMap, makePod } from "../agent/bench-pods.ts";
import { cpuMs } from "../api/process-usage.ts";
import { Followed } from "./followed.ts";

export const SHARED = "shared";
export const NODE = "bench";
/** Pods that start at the same time. */
const AT_ONCE = 24;
const LOOK_MS = 500;
const MAX_LOOKS = 120;

export class Fleet implements AsyncDisposable {
  readonly server: DriftlessServer;
  readonly node: DriftlessNode;
  readonly views: Followed<ConfigView & ApiObject>;
  readonly pods: readonly (Pod & ApiObject)[];
  readonly #stack: AsyncDisposableStack;

  private constructor(
    of: Pick<Fleet, "server" | "node" | "views" | "pods">,
    stack: AsyncDisposableStack,
  ) {
    this.server = of.server;
    this.node = of.node;
    this.views = of.views;
    this.pods = of.pods;
    this.#stack = stack;
  }

  /** Settles when all run and there is a view of each. */
  static async start(count: number): Promise<Fleet> {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await DriftlessServer.start({ flags: ["--store", "sqlite"] }));
    const flags = ["--max-pods", String(count + 10)];
    const node = stack.use(await DriftlessNode.start({ server, name: NODE, flags }));
    const core = "/api/v1/namespaces/default";
    const pods = stack.use(await Followed.of<Pod & ApiObject>(server, `${core}/pods`));
    const path = "/apis/driftless.dev/v1/namespaces/default/configviews";
    const views = stack.use(await Followed.of<ConfigView & ApiObject>(server, path));
    await makeConfigMap(server, SHARED);
    await makePods(server, pods, count);
    await views.until(count, ({ uses = [] }) => uses.length > 0);
    const all = [...pods.objects.values()];
    return new Fleet({ server, node, views, pods: all }, stack.move());
  }

  get serverPid(): number {
    return this.server.process.pid ?? 0;
  }

  /** The volume of each pod. */
  get directories(): readonly string[] {
    return this.pods.map((pod) => this.node.volumePath(pod, "configmap", SHARED));
  }

  /** Milliseconds of both processes. */
  used(): { readonly server: number; readonly agent: number } {
    return { server: cpuMs(this.serverPid), agent: cpuMs(this.node.pid) };
  }

  /** Until what was begun before is done: the work of starting is not the work of changing. */
  async quiet(): Promise<void> {
    const sum = (): number => this.used().server + this.used().agent;
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const before = sum();
      await sleep(LOOK_MS);
      if (sum() - before <= LOOK_MS / 20) return;
    }
  }

  /** How often a number of the agent's metrics has gone up until now: "driftless_config_view_writes_total". */
  async count(metric: string): Promise<number> {
    const { status, text } = await this.server.fetch("GET", `/api/v1/nodes/${NODE}/metrics`);
    if (status !== 200) throw new Error(`Cannot read the metrics of the node: ${status} ${text}`);
    const lines = text.split("\n").filter((line) => line.startsWith(`${metric}{`));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  /** Fails if a volume is not where it is looked for: nothing would ever be seen there. */
  check(): void {
    for (const directory of this.directories) readdirSync(join(directory, "..data"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Each that runs makes room for the next: starting all at once would only make them wait for each other. */
async function makePods(
  server: DriftlessServer,
  pods: Followed<Pod & ApiObject>,
  count: number,
): Promise<void> {
  const tell = progress(count, "pods run", performance.now());
  const room = new Gate(AT_ONCE);
  const running = pods.until(
    count,
    ({ status }) => status?.phase === "Running",
    (done) => {
      tell(done);
      room.open(done + AT_ONCE);
    },
  );
  for (let i = 0; i < count; i++) {
    await room.passed(i);
    await makePod(server, { name: `pod-${i}`, node: NODE, configMaps: [SHARED] });
  }
  await running;
}

/** Lets number n pass when it was opened for more than n. */
class Gate {
  #limit: number;
  #opened = Promise.withResolvers<void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  open(limit: number): void {
    if (limit <= this.#limit) return;
    this.#limit = limit;
    this.#opened.resolve();
    this.#opened = Promise.withResolvers();
  }

  async passed(n: number): Promise<void> {
    while (n >= this.#limit) await this.#opened.promise;
  }
}

/** Tells of every tenth part, and of how long it took. */
export function progress(total: number, what: string, began: number): (done: number) => void {
  const step = Math.max(1, Math.floor(total / 10));
  let told = 0;
  return (done) => {
    if (done < told + step) return;
    told = done - (done % step);
    const seconds = Math.round((performance.now() - began) / 1000);
    console.error(`  ${done} of ${total} ${what} after ${seconds} s`);
  };
}
