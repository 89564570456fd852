// The node of `driftless up`: it is given its certificate by the server beside it, and from then on is like any other.

import { hostname } from "node:os";
import { join } from "node:path";
import type { ServerSide } from "../agent/agent.ts";
import { removeNode } from "../agent/drain.ts";
import { unlessAborted } from "../base/abort.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import { SystemMounts } from "../mounts/system-mounts.ts";
import { agentSettings } from "./agent-flags.ts";
import { drainMachine } from "./drain-node.ts";
import { nodeTakesPods } from "./node-takes-pods.ts";
import { ownIdentity } from "./own-identity.ts";
import { type PreparedAgent, prepareAgent, serverSide } from "./prepare-agent.ts";
import type { RunningServer } from "./prepare-server.ts";
import { takeLock } from "./take-lock.ts";
import type { UpFlags } from "./up.ts";
import type { NodeLine } from "./up-message.ts";

/** For an agent before this one to be gone. */
const LOCK_MS = 3000;

export interface UpNodeOptions {
  readonly flags: UpFlags;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Aborted when somebody wants the end, and not because something failed. */
  readonly stop: AbortSignal;
}

export class UpNode {
  readonly #options: UpNodeOptions;
  readonly #ready = Promise.withResolvers<NodeLine>();
  #agent: PreparedAgent | undefined;
  #ended: number | undefined;

  constructor(options: UpNodeOptions) {
    this.#options = options;
  }

  /** Settles when it takes pods, or it is known that it cannot. */
  get ready(): Promise<NodeLine> {
    return this.#ready.promise;
  }

  /** How many containers run now. */
  get containers(): number {
    return this.#agent?.containers() ?? 0;
  }

  /** How many containers were ended, with --drain, after it has run. */
  get ended(): number | undefined {
    return this.#ended;
  }

  /** What can be done before there is a server. */
  prepare(): void {
    const { flags, logger, metrics } = this.#options;
    const settings = { ...agentSettings(flags), listen: undefined, healthPort: undefined };
    this.#agent = prepareAgent({ dataDir: flags.dataDir, flags, settings, logger, metrics });
  }

  /** Ends when the signal aborts, with --drain after the pods have. */
  async run(serving: Promise<RunningServer>, signal: AbortSignal): Promise<void> {
    const { flags, logger, stop } = this.#options;
    const { dataDir } = flags;
    using _lock = await takeLock(join(dataDir, "run", "agent.lock"), { patienceMs: LOCK_MS });
    const running = await unlessAborted(serving, signal);
    if (running === undefined) return;
    const { localUrl, credentials, ownMachine } = running;
    const identity = await ownIdentity({
      dataDir,
      nodeName: flags.nodeName,
      hostname: hostname(),
      server: localUrl,
      authority: credentials.authority.certificate,
      ownMachine,
    });
    const { nodeName } = identity;
    const server = serverSide(identity, logger);
    const agent = this.#prepared;
    const found = Promise.withResolvers<number>();
    try {
      await Promise.all([
        agent.run({ nodeName, server }, signal, () => found.resolve(agent.containers())),
        this.#tell({ nodeName, server, found: found.promise }, signal),
      ]);
    } finally {
      await server.client.close();
    }
    if (flags.drain !== true || !stop.aborted) return;
    this.#ended = (await drainMachine({ dataDir, identity, nodeName, logger })).containers;
    removeNode({ dataDir, mounts: new SystemMounts(), kept: ["images", "node", "launcher-cache"] });
  }

  async #tell(
    of: {
      readonly nodeName: string;
      readonly server: ServerSide;
      /** How many containers an earlier start has left. */
      readonly found: Promise<number>;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { kernel } = this.#prepared;
    const missing = kernel.missing.filter(({ isNeeded }) => isNeeded);
    const { client } = of.server;
    // One that cannot run pods will not say that it is ready.
    const node =
      missing.length > 0
        ? undefined
        : await nodeTakesPods({ client, name: of.nodeName, logger: this.#options.logger }, signal);
    if (signal.aborted) return;
    this.#ready.resolve({
      name: of.nodeName,
      isRootless: kernel.isInUserNamespace,
      isCordoned: node?.spec.unschedulable === true,
      containers: await of.found,
      missing: missing.map(({ message }) => message),
      shortcomings: this.#prepared.shortcomings.length,
    });
  }

  get #prepared(): PreparedAgent {
    if (this.#agent === undefined) throw new Error("Cannot run the node: it was not prepared");
    return this.#agent;
  }
}
