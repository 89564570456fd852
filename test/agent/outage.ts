// A server that goes away and comes back, on the same port with the same data. Meanwhile it can be somewhere else, where its nodes do
// not find it, and be changed there.

import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { Cluster } from "./cluster.ts";
import { NodeRequests, nodesPolicy } from "./node-requests.ts";

export class Outage implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly requests: NodeRequests;
  readonly #dir: TempDir;
  readonly #flags: readonly string[];
  readonly #port: number;

  private constructor(cluster: Cluster, dir: TempDir, flags: readonly string[]) {
    this.cluster = cluster;
    this.requests = new NodeRequests(dir.path);
    this.#dir = dir;
    this.#flags = flags;
    this.#port = cluster.server.port;
  }

  /** History is forgotten after one to two seconds. */
  static async start(): Promise<Outage> {
    const dir = tempDir();
    dir.write({ "policy.yaml": nodesPolicy });
    const policy = ["--audit-policy-file", dir.join("policy.yaml")];
    const flags = ["--compaction-interval", "1", ...policy];
    try {
      const cluster = await Cluster.start({ server: { dataDir: dir.path, flags } });
      return new Outage(cluster, dir, flags);
    } catch (err) {
      dir[Symbol.dispose]();
      throw err;
    }
  }

  async leave(how: "stop" | "kill"): Promise<void> {
    await this.cluster.server[how]();
  }

  /** Does something to the server's data while no node reaches it. */
  async behind(work: () => Promise<void>): Promise<void> {
    await this.#serve(0);
    await work();
    await this.cluster.server.stop();
  }

  async comeBack(): Promise<void> {
    this.requests.mark();
    await this.#serve(this.#port);
  }

  async #serve(port: number): Promise<void> {
    const before = this.cluster.server;
    const options = { dataDir: this.#dir.path, flags: this.#flags, port };
    this.cluster.server = await DriftlessServer.start(options);
    await before[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    this.#dir[Symbol.dispose]();
  }
}
