// `driftless node`: the agent that makes this machine a node.

import { mkdirSync, realpathSync } from "node:fs";
import { isIPv6 } from "node:net";
import { homedir, hostname, networkInterfaces } from "node:os";
import { join as joinPath } from "node:path";
import { Command } from "commander";
import { Agent, type ServerSide } from "../agent/agent.ts";
import { AgentPaths } from "../agent/agent-paths.ts";
import { join } from "../agent/join/join.ts";
import { NodeFiles } from "../agent/join/node-files.ts";
import {
  identityFromKubeconfig,
  loadIdentity,
  type NodeIdentity,
} from "../agent/join/node-identity.ts";
import { nodeNameOf } from "../agent/join/node-name.ts";
import { NodeSurvey } from "../agent/node/node-survey.ts";
import type { ChangeDetectionStrategy } from "../agent/objects/create-object-manager.ts";
import { systemClock } from "../base/clock.ts";
import { createLogger, type Logger, type LogLevel } from "../base/logger.ts";
import { createMetrics } from "../base/metrics.ts";
import { systemRandom } from "../base/random.ts";
import { ApiClient } from "../client/api-client.ts";
import { type KernelSupport, probeKernel } from "../mounts/kernel-support.ts";
import { spreadDirectory } from "../mounts/spread-directory.ts";
import { SystemMounts } from "../mounts/system-mounts.ts";
import { missingLimits } from "../runtime/cgroups/missing-limits.ts";
import { drain } from "./drain-node.ts";
import { parseDuration } from "./duration.ts";
import { type ListenAddress, parseListen } from "./listen-address.ts";
import { MisuseError } from "./misuse-error.ts";
import { healthParts, healthPort } from "./node-health.ts";
import { processRuntime } from "./process-runtime.ts";
import { stopSignal } from "./stop-signal.ts";
import { takeLock } from "./take-lock.ts";
import { needsUserNamespace, runInUserNamespace } from "./user-namespace.ts";
import { serverVersion } from "./version.ts";

interface NodeFlags {
  readonly dataDir: string;
  readonly server?: string;
  readonly token?: string;
  readonly caHash?: string;
  readonly kubeconfig?: string;
  readonly nodeName?: string;
  readonly address: readonly string[];
  readonly manifests?: string;
  readonly changeDetection: string;
  readonly syncFrequency: string;
  readonly healthPort?: string;
  readonly maxPids: string;
  readonly listen?: string;
  readonly logLevel: string;
  readonly drain?: boolean;
}

const LEVELS: readonly string[] = ["debug", "info", "warn", "error"];
const STRATEGIES: readonly string[] = ["Watch", "Cache", "Get"];
/** A server that comes up with the machine may need a while. */
const JOIN_PATIENCE_MS = 120_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** The kubelet's. */
const LISTEN_PORT = 10_250;
/** For the agent before this one to be gone. */
const LOCK_MS = 3000;

export function nodeCommand(): Command {
  return new Command("node")
    .description("make this machine a node: run its pods and keep their configuration up to date")
    .option("--data-dir <dir>", "where everything is kept", joinPath(homedir(), ".driftless"))
    .option("--server <url>", "join this server (once; then it is known)")
    .option("--token <token>", 'the join token, from "driftless token create"')
    .option("--ca-hash <hash>", "the hash of the server's authority, from the same place")
    .option("--kubeconfig <file>", "speak to a server with these credentials, without joining")
    .option("--node-name <name>", "the name of this node (default: the machine's)")
    .option(
      "--address <ip>",
      "an address by which others reach this machine (repeat it for a second family; default: found out)",
      (address: string, all: readonly string[]) => [...all, address],
      [] as readonly string[],
    )
    .option(
      "--manifests <dir>",
      "run the pods in these files, with or without a server (default: DIR/manifests)",
    )
    .option(
      "--change-detection <strategy>",
      `how changes of objects are found: ${STRATEGIES.join(", ")}`,
      "Watch",
    )
    .option(
      "--sync-frequency <duration>",
      "how often everything is looked at although nothing was heard of",
      "60s",
    )
    .option(
      "--health-port <port>",
      "serve /healthz, /readyz and /metrics there, to this machine only (default: not at all)",
    )
    .option(
      "--listen <host[:port]>",
      `let API servers other than the one that was joined reach this node there: logs, exec and the like (default: only through the tunnel to that one; port ${LISTEN_PORT})`,
    )
    .option(
      "--max-pids <number>",
      "processes and threads that one container may have, 0 for any number",
      "4096",
    )
    .option("--log-level <level>", `one of ${LEVELS.join(", ")}`, "info")
    .option(
      "--drain",
      "end all pods of this machine, remove everything that the node has made, and exit",
    )
    .addHelpText(
      "after",
      `
Examples:
  driftless node --server https://10.0.0.1:8443 --token abcdef.0123456789abcdef --ca-hash sha256:…
  driftless node                                      after that: what it joined is in the data directory
  driftless node --kubeconfig node.kubeconfig --node-name edge-7
  driftless node --manifests ./pods                   without any server
  driftless node --listen 10.0.0.7                    others than its server may ask it too
  driftless node --drain                              the end: no process, mount or file is left

Containers keep running when the agent ends, and are found again when it starts. As root or as any other user: a user has a
namespace of its own, and can do a little less; the first lines of the log say what.`,
    )
    .action(runNode);
}

async function runNode(flags: NodeFlags): Promise<void> {
  const settings = settingsOf(flags);
  mkdirSync(flags.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = realpathSync(flags.dataDir);
  if (needsUserNamespace()) {
    process.exitCode = await runInUserNamespace(dataDir, { endsAfter: flags.drain === true });
    return;
  }
  const logger = createLogger({ level: flags.logLevel as LogLevel, destination: process.stderr });
  if (flags.drain === true) {
    const identity = loadIdentity(new NodeFiles({ dataDir }));
    const nodeName = identity?.nodeName ?? flags.nodeName ?? nodeNameOf(hostname());
    await drain({ dataDir, identity, nodeName, logger });
    return;
  }
  using _lock = await takeLock(joinPath(dataDir, "run", "agent.lock"), { patienceMs: LOCK_MS });
  await runAgent(flags, { settings, dataDir, logger });
}

async function runAgent(
  flags: NodeFlags,
  of: { readonly settings: Settings; readonly dataDir: string; readonly logger: Logger },
): Promise<void> {
  const { settings, dataDir, logger } = of;
  const signal = stopSignal(logger);
  const kernel = probeKernel();
  tellSupport(kernel, logger);
  const identity = await identityOf(flags, { dataDir, logger, signal });
  const base = { clock: systemClock, random: systemRandom, logger };
  const server = identity && serverSide(identity, logger);
  const nodeName = identity?.nodeName ?? flags.nodeName ?? nodeNameOf(hostname());
  const mounts = new SystemMounts();
  spreadDirectory(new AgentPaths(dataDir).pods, { mode: 0o750 });
  const { runtime, cgroups, parts } = processRuntime({ dataDir, mounts, ...base });
  for (const why of missingLimits(cgroups.missing())) logger.warn("feature missing", { why });
  const survey = await NodeSurvey.begin({
    nodeName,
    hostname: hostname(),
    root: "/",
    dataDir,
    server: identity?.connection.server,
    addresses: flags.address,
    interfaces: networkInterfaces,
    architecture: process.arch,
    runtimeVersion: runtime.version,
    agentVersion: serverVersion().gitVersion,
  });
  const needed = kernel.missing.filter(({ isNeeded }) => isNeeded).map(({ message }) => message);
  const metrics = createMetrics();
  const health = healthParts({ port: settings.healthPort, missing: needed, metrics, logger });
  const agent = new Agent({
    ...{ dataDir, nodeName, server, survey, runtime, mounts, metrics, ...settings, ...base },
    runtimeParts: [...parts, ...health],
    manifests: flags.manifests ?? ownManifests(dataDir),
    missing: () => needed,
    canReplaceMounts: kernel.hasMoveMountBeneath,
    onNextTurn: (callback) => void setImmediate(callback),
  });
  const tell = (): void =>
    void process.stdout.write(readyLine({ nodeName, identity, kernel, dataDir }));
  // If it does not become ready, run() says why.
  agent.ready.then(tell, () => undefined);
  try {
    await agent.run(signal);
  } finally {
    await server?.client.close();
  }
}

function ownManifests(dataDir: string): string {
  const directory = joinPath(dataDir, "manifests");
  mkdirSync(directory, { recursive: true, mode: 0o750 });
  return directory;
}

interface Settings {
  readonly listen: ListenAddress | undefined;
  readonly strategy: ChangeDetectionStrategy;
  readonly syncPeriodMs: number;
  readonly healthPort: number | undefined;
  readonly pidsLimit: number | undefined;
}

function settingsOf(flags: NodeFlags): Settings {
  const { changeDetection, logLevel, syncFrequency, server, token, caHash, kubeconfig } = flags;
  if (!LEVELS.includes(logLevel)) {
    throw new MisuseError(`--log-level ${logLevel}: must be one of ${LEVELS.join(", ")}`);
  }
  if (!STRATEGIES.includes(changeDetection)) {
    throw new MisuseError(
      `--change-detection ${changeDetection}: must be one of ${STRATEGIES.join(", ")}`,
    );
  }
  const joining = [server, token, caHash].filter((value) => value !== undefined).length;
  if (joining > 0 && joining < 3) {
    throw new MisuseError(
      'To join, --server, --token and --ca-hash are needed: "driftless token create" on the server prints all three',
    );
  }
  if (joining > 0 && kubeconfig !== undefined) {
    throw new MisuseError("--kubeconfig and --server: choose one");
  }
  return {
    strategy: changeDetection as ChangeDetectionStrategy,
    syncPeriodMs: parseDuration("--sync-frequency", syncFrequency),
    healthPort: healthPort(flags.healthPort),
    pidsLimit: pidsLimitOf(flags.maxPids),
    listen: listenOf(flags),
  };
}

/** 0: none. */
function pidsLimitOf(text: string): number | undefined {
  if (!/^\d{1,7}$/.test(text)) {
    throw new MisuseError(`--max-pids ${text}: must be a number, 0 for no limit`);
  }
  return Number(text) || undefined;
}

function listenOf({ listen, kubeconfig }: NodeFlags): ListenAddress | undefined {
  if (listen === undefined) return undefined;
  if (kubeconfig !== undefined) {
    throw new MisuseError(
      "--listen needs a node that has joined: it is given the certificate for it",
    );
  }
  const hasPort = /:\d+$/.test(listen) && !isIPv6(listen);
  return parseListen(
    hasPort ? listen : `${isIPv6(listen) ? `[${listen}]` : listen}:${LISTEN_PORT}`,
  );
}

async function identityOf(
  flags: NodeFlags,
  of: { readonly dataDir: string; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<NodeIdentity | undefined> {
  const { server, token, caHash, kubeconfig, nodeName } = flags;
  if (kubeconfig !== undefined) return identityFromKubeconfig({ file: kubeconfig, nodeName });
  const files = new NodeFiles({ dataDir: of.dataDir });
  if (server === undefined || token === undefined || caHash === undefined) {
    return loadIdentity(files);
  }
  return join(
    {
      server,
      token,
      caHash,
      nodeName: nodeName ?? nodeNameOf(hostname()),
      files,
      patienceMs: JOIN_PATIENCE_MS,
      clock: systemClock,
      random: systemRandom,
      logger: of.logger,
    },
    of.signal,
  );
}

function serverSide(identity: NodeIdentity, logger: Logger): ServerSide {
  const { connection } = identity;
  const options = { connection, clock: systemClock, timeoutMs: REQUEST_TIMEOUT_MS, logger };
  return { identity, client: new ApiClient(options) };
}

function tellSupport(kernel: KernelSupport, logger: Logger): void {
  const { isInUserNamespace, missing } = kernel;
  logger.info("machine looked at", {
    as: isInUserNamespace ? "root of a user namespace" : "root",
    liveSubPath: kernel.hasMoveMountBeneath,
    tmpfsWithoutSwap: kernel.hasTmpfsNoSwap,
  });
  for (const { isNeeded, message } of missing) {
    if (isNeeded) logger.error("cannot run containers", { why: message });
    else logger.warn("feature missing", { why: message });
  }
}

function readyLine(of: {
  readonly nodeName: string;
  readonly identity: NodeIdentity | undefined;
  readonly kernel: KernelSupport;
  readonly dataDir: string;
}): string {
  const how = of.kernel.isInUserNamespace ? "without root" : "as root";
  const server =
    of.identity === undefined ? "no server" : `server ${of.identity.connection.server}`;
  return `driftless: node ${of.nodeName} ready, ${how}, ${server}, data in ${of.dataDir}\n`;
}
