// The log keeper: reads what containers write and puts it into their logs, for as long as there are containers, whatever becomes
// of the agent. It ends by itself when no agent was there for a while and nobody writes to what it follows: then nothing can get lost,
// and the next agent starts a new one.

import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { aborted } from "../../base/abort.ts";
import type { AttachedClient } from "./attached-client.ts";
import { FollowedContainer, type Workshop } from "./followed-container.ts";
import { type KeeperFiles, socketAddress } from "./keeper-files.ts";
import {
  type ContainerOutput,
  encodeMessage,
  type KeeperAnswer,
  type KeeperRequest,
  messageDecoder,
  type Numbered,
  PROTOCOL_VERSION,
} from "./keeper-protocol.ts";

export interface KeeperServerOptions {
  readonly files: KeeperFiles;
  readonly workshop: Workshop;
  /** How long to stay with nothing to do. */
  readonly idleMs: number;
  readonly pid: number;
  readonly report: (what: string, err: unknown) => void;
}

/** Ample for the kernel to tell of a FIFO without writers, which it does at once. */
const PROBE_MS = 1000;

export class KeeperServer {
  readonly #options: KeeperServerOptions;
  readonly #containers = new Map<string, FollowedContainer>();
  readonly #agents = new Set<Socket>();
  readonly #done: PromiseWithResolvers<void> = Promise.withResolvers();
  #idle: Disposable | undefined;
  /** Agents that leave now leave because of it. */
  #isEnding = false;

  constructor(options: KeeperServerOptions) {
    this.#options = options;
  }

  /** Ends when it is told to, or has nothing to do. Calls `onReady` when it can be reached. */
  async run(signal: AbortSignal, onReady: () => void): Promise<void> {
    const { files, workshop } = this.#options;
    const server = createServer((agent) => this.#serve(agent));
    // Left by one that was killed: whoever runs this has the lock.
    rmSync(files.socket, { force: true });
    using address = socketAddress(files);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject).listen(address.path, resolve);
    await promise;
    chmodSync(files.socket, 0o600);
    this.#waitForAgent();
    onReady();
    await Promise.race([aborted(signal), this.#done.promise]);
    this.#isEnding = true;
    this.#idle?.[Symbol.dispose]();
    for (const container of this.#containers.values()) container.close();
    await workshop.compressor.idle();
    for (const agent of this.#agents) agent.destroySoon();
    server.close();
  }

  #serve(agent: Socket): void {
    this.#agents.add(agent);
    this.#idle?.[Symbol.dispose]();
    let client: AttachedClient | undefined;
    const decode = messageDecoder({
      onMessage: (message) => {
        const request = message as Numbered<KeeperRequest>;
        if (request.op !== "attach") {
          void this.#answer(request, agent);
          return undefined;
        }
        client = this.#attach(request, agent);
        return client && "frames";
      },
      onFrames: (bytes) => client?.receive(bytes),
    });
    agent.on("data", (bytes: Buffer) => {
      try {
        decode(bytes);
      } catch (err) {
        this.#options.report("an agent does not speak the protocol", err);
        agent.destroy();
      }
    });
    // The agent is gone, which is what `close` says too.
    agent.on("error", () => undefined);
    agent.on("close", () => {
      this.#agents.delete(agent);
      this.#waitForAgent();
    });
  }

  async #answer(
    request: Numbered<Exclude<KeeperRequest, { op: "attach" }>>,
    agent: Socket,
  ): Promise<void> {
    const { seq } = request;
    let answer: KeeperAnswer;
    try {
      answer = { seq, ...(await this.#do(request)) };
    } catch (err) {
      answer = { seq, error: err instanceof Error ? err.message : String(err) };
    }
    if (agent.writable) agent.write(encodeMessage(answer));
    if (request.op === "retire") this.#done.resolve();
  }

  /** Answers before anything else goes over the connection. */
  #attach(
    { seq, id, hasStdin }: Numbered<Extract<KeeperRequest, { op: "attach" }>>,
    agent: Socket,
  ): AttachedClient | undefined {
    const container = this.#containers.get(id);
    if (container === undefined) {
      agent.write(encodeMessage({ seq, error: `Container ${id} is not followed` }));
      return undefined;
    }
    agent.write(encodeMessage({ seq, hasStdin: hasStdin && container.hasStdin }));
    return container.attach(agent, { hasStdin });
  }

  async #do(request: Exclude<KeeperRequest, { op: "attach" }>): Promise<Omit<KeeperAnswer, "seq">> {
    switch (request.op) {
      case "hello":
        return { version: PROTOCOL_VERSION, pid: this.#options.pid };
      case "follow":
        this.#follow(request.of);
        return {};
      case "terminal":
        return {
          pid: this.#options.pid,
          fd: this.#container(request.id).takeTerminal(request.from),
        };
      case "resize":
        this.#container(request.id).resize(request);
        return {};
      case "finished":
        await this.#finish(request.id);
        return {};
      case "retire":
        for (const container of this.#containers.values()) container.close();
        this.#containers.clear();
        return {};
      default:
        throw new Error("no such request");
    }
  }

  #follow(of: ContainerOutput): void {
    if (this.#containers.has(of.id)) return;
    const container = new FollowedContainer(of, this.#options.workshop);
    container.open();
    this.#containers.set(of.id, container);
  }

  #container(id: string): FollowedContainer {
    const container = this.#containers.get(id);
    if (container === undefined) throw new Error(`Container ${id} is not followed`);
    return container;
  }

  async #finish(id: string): Promise<void> {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    await container.finish();
    if (this.#containers.get(id) === container) this.#containers.delete(id);
  }

  #waitForAgent(): void {
    if (this.#isEnding) return;
    if (this.#agents.size > 0) return;
    this.#idle?.[Symbol.dispose]();
    this.#idle = this.#options.workshop.clock.schedule(this.#options.idleMs, () => this.#probe());
  }

  #probe(): void {
    for (const container of this.#containers.values()) container.probe();
    this.#idle = this.#options.workshop.clock.schedule(PROBE_MS, () => {
      const isIdle = [...this.#containers.values()].every((container) => container.isDrained);
      if (isIdle) this.#done.resolve();
      else this.#waitForAgent();
    });
  }
}
