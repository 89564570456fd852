// A server, its load generator, and the yardsticks beside them. All data is on the same disk.

import { DriftlessServer } from "../../test/support/driftless-server.ts";
import { Generator, targetOf } from "./generator.ts";
import type { Load, RequestsJob, Target } from "./jobs.ts";
import { cpuMs, rssMib } from "./process-usage.ts";

export interface Measured extends Load {
  /** Processor time of the server for one operation, all threads. */
  readonly serverCpuUs: number;
}

export type Requests = Omit<RequestsJob, "do" | "target" | "namespace"> & { namespace?: string };

export class BenchPlace implements AsyncDisposable {
  readonly server: DriftlessServer;
  readonly generator: Generator;
  readonly target: Target;

  private constructor(server: DriftlessServer, generator: Generator) {
    this.server = server;
    this.generator = generator;
    this.target = targetOf(server);
  }

  /** `flags` are for the server. */
  static async start(flags: readonly string[] = []): Promise<BenchPlace> {
    return new BenchPlace(await DriftlessServer.start({ flags }), new Generator());
  }

  get rssMib(): number {
    return rssMib(this.#pid);
  }

  async requests(requests: Requests): Promise<Measured> {
    const before = cpuMs(this.#pid);
    const load = await this.generator.run({
      do: "requests",
      target: this.target,
      namespace: "default",
      ...requests,
    });
    const serverCpuUs = ((cpuMs(this.#pid) - before) * 1000) / load.operations;
    return { ...load, serverCpuUs };
  }

  async makeNamespace(name: string): Promise<void> {
    await this.#make("/api/v1/namespaces", { metadata: { name } });
  }

  /** `${prefix}-0` and so on. */
  async makeObjects(prefix: string, count: number): Promise<void> {
    let next = 0;
    const maker = async (): Promise<void> => {
      while (next < count) {
        const object = { metadata: { name: `${prefix}-${next++}` }, data: { key: "value" } };
        await this.#make("/api/v1/namespaces/default/configmaps", object);
      }
    };
    await Promise.all(Array.from({ length: 16 }, maker));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.generator[Symbol.dispose]();
    await this.server[Symbol.asyncDispose]();
  }

  get #pid(): number {
    return this.server.process.pid ?? 0;
  }

  async #make(path: string, object: object): Promise<void> {
    const { status, text } = await this.server.fetch("POST", path, object);
    if (status !== 201) throw new Error(`Cannot prepare the bench: ${status} ${text}`);
  }
}
