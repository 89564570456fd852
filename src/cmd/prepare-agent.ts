// The node agent as its flags describe it, ready to be run: on its own, or as a part of `up`. What does not need to know the server is
// done first, so that `up` can do it while the server starts.

import { mkdirSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { Agent, type ServerSide } from "../agent/agent.ts";
import { AgentPaths } from "../agent/agent-paths.ts";
import type { NodeIdentity } from "../agent/join/node-identity.ts";
import { NodeSurvey } from "../agent/node/node-survey.ts";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import { systemRandom } from "../base/random.ts";
import { ApiClient } from "../client/api-client.ts";
import { type KernelSupport, probeKernel } from "../mounts/kernel-support.ts";
import { spreadDirectory } from "../mounts/spread-directory.ts";
import { SystemMounts } from "../mounts/system-mounts.ts";
import { missingLimits } from "../runtime/cgroups/missing-limits.ts";
import type { AgentFlags, AgentSettings } from "./agent-flags.ts";
import type { ListenAddress } from "./listen-address.ts";
import { healthParts } from "./node-health.ts";
import { processRuntime } from "./process-runtime.ts";
import { SHORTCOMING } from "./shortcoming.ts";
import { serverVersion } from "./version.ts";

const REQUEST_TIMEOUT_MS = 60_000;

export interface AgentBasis {
  /** An absolute path without symbolic links. */
  readonly dataDir: string;
  readonly flags: Pick<AgentFlags, "address" | "manifests">;
  readonly settings: AgentSettings & {
    readonly listen: ListenAddress | undefined;
    readonly healthPort: number | undefined;
  };
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface Membership {
  readonly nodeName: string;
  /** Undefined: this machine has no server. The client is not closed. */
  readonly server: ServerSide | undefined;
}

export interface PreparedAgent {
  readonly kernel: KernelSupport;
  /** What will not work here, a sentence each; pods run all the same. */
  readonly shortcomings: readonly string[];
  /** How many containers run, those of an earlier agent too. */
  containers(): number;
  /** Runs until the signal aborts. `onReady` is called when it has found what runs here already. */
  run(of: Membership, signal: AbortSignal, onReady: () => void): Promise<void>;
}

/** Looks at the machine; changes nothing but the data directory. */
export function prepareAgent(basis: AgentBasis): PreparedAgent {
  const { dataDir, logger } = basis;
  const base = { clock: systemClock, random: systemRandom, logger };
  const kernel = probeKernel();
  const mounts = new SystemMounts();
  spreadDirectory(new AgentPaths(dataDir).pods, { mode: 0o750 });
  const made = processRuntime({ dataDir, mounts, ...base });
  const shortcomings = [
    ...kernel.missing.filter(({ isNeeded }) => !isNeeded).map(({ message }) => message),
    ...missingLimits(made.cgroups.missing()),
  ];
  tellSupport(kernel, shortcomings, logger);
  return {
    kernel,
    shortcomings,
    containers: () => made.runtime.list().filter(({ end }) => end === undefined).length,
    run: (of, signal, onReady) => runAgent(of, { basis, kernel, mounts, made, onReady }, signal),
  };
}

interface Prepared {
  readonly basis: AgentBasis;
  readonly kernel: KernelSupport;
  readonly mounts: SystemMounts;
  readonly made: ReturnType<typeof processRuntime>;
  readonly onReady: () => void;
}

async function runAgent(
  { nodeName, server }: Membership,
  { basis, kernel, mounts, made, onReady }: Prepared,
  signal: AbortSignal,
): Promise<void> {
  const { dataDir, flags, settings, logger, metrics } = basis;
  const base = { clock: systemClock, random: systemRandom, logger };
  const { runtime, parts } = made;
  const survey = await NodeSurvey.begin({
    nodeName,
    hostname: hostname(),
    root: "/",
    dataDir,
    server: server?.identity.connection.server,
    addresses: flags.address,
    maxPods: settings.maxPods,
    interfaces: networkInterfaces,
    architecture: process.arch,
    runtimeVersion: runtime.version,
    agentVersion: serverVersion().gitVersion,
  });
  const needed = kernel.missing.filter(({ isNeeded }) => isNeeded).map(({ message }) => message);
  const health = healthParts({ port: settings.healthPort, missing: needed, metrics, logger });
  const agent = new Agent({
    ...{ dataDir, nodeName, server, survey, runtime, mounts, metrics, ...settings, ...base },
    runtimeParts: [...parts, ...health],
    manifests: flags.manifests ?? ownManifests(dataDir),
    missing: () => needed,
    canReplaceMounts: kernel.hasMoveMountBeneath,
    onNextTurn: (callback) => void setImmediate(callback),
  });
  // If it does not become ready, run() says why.
  agent.ready.then(onReady, () => undefined);
  await agent.run(signal);
}

/** The client is the caller's to close. */
export function serverSide(identity: NodeIdentity, logger: Logger): ServerSide {
  const { connection } = identity;
  const options = { connection, clock: systemClock, timeoutMs: REQUEST_TIMEOUT_MS, logger };
  return { identity, client: new ApiClient(options) };
}

function ownManifests(dataDir: string): string {
  const directory = join(dataDir, "manifests");
  mkdirSync(directory, { recursive: true, mode: 0o750 });
  return directory;
}

function tellSupport(kernel: KernelSupport, shortcomings: readonly string[], logger: Logger): void {
  const { isInUserNamespace, missing } = kernel;
  logger.info("machine looked at", {
    as: isInUserNamespace ? "root of a user namespace" : "root",
    liveSubPath: kernel.hasMoveMountBeneath,
    tmpfsWithoutSwap: kernel.hasTmpfsNoSwap,
  });
  for (const { isNeeded, message } of missing) {
    if (isNeeded) logger.error("cannot run containers", { why: message });
  }
  for (const why of shortcomings) logger.warn(SHORTCOMING, { why });
}
