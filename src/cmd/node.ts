// `driftless node`: the agent that makes this machine a node.

import { mkdirSync, realpathSync } from "node:fs";
import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import { join as joinPath } from "node:path";
import { Command } from "commander";
import { join } from "../agent/join/join.ts";
import { NodeFiles } from "../agent/join/node-files.ts";
import {
  identityFromKubeconfig,
  loadIdentity,
  type NodeIdentity,
} from "../agent/join/node-identity.ts";
import { nodeNameOf } from "../agent/join/node-name.ts";
import { systemClock } from "../base/clock.ts";
import { createLogger, type Logger } from "../base/logger.ts";
import { createMetrics } from "../base/metrics.ts";
import { processMetrics } from "../base/process-metrics.ts";
import { systemRandom } from "../base/random.ts";
import type { KernelSupport } from "../mounts/kernel-support.ts";
import { type AgentFlags, agentOptions, agentSettings } from "./agent-flags.ts";
import { drain } from "./drain-node.ts";
import { type ListenAddress, parseListen } from "./listen-address.ts";
import { logDestination } from "./log-destination.ts";
import { logLevelOf, logLevelOption } from "./log-level.ts";
import { MisuseError } from "./misuse-error.ts";
import { healthPort } from "./node-health.ts";
import { type AgentBasis, prepareAgent, serverSide } from "./prepare-agent.ts";
import { stopSignal } from "./stop-signal.ts";
import { defaultDataDir } from "./store-flags.ts";
import { takeLock } from "./take-lock.ts";
import { needsUserNamespace, runInUserNamespace } from "./user-namespace.ts";
import { serverVersion } from "./version.ts";

interface NodeFlags extends AgentFlags {
  readonly dataDir: string;
  readonly server?: string;
  readonly token?: string;
  readonly caHash?: string;
  readonly kubeconfig?: string;
  readonly healthPort?: string;
  readonly listen?: string;
  readonly logLevel: string;
  readonly drain?: boolean;
}

/** A server that comes up with the machine may need a while. */
const JOIN_PATIENCE_MS = 120_000;
/** The kubelet's. */
const LISTEN_PORT = 10_250;
/** For the agent before this one to be gone. */
const LOCK_MS = 3000;

export function nodeCommand(): Command {
  const command = new Command("node")
    .description("make this machine a node: run its pods and keep their configuration up to date")
    .option("--data-dir <dir>", "where everything is kept", defaultDataDir)
    .option("--server <url>", "join this server (once; then it is known)")
    .option("--token <token>", 'the join token, from "driftless token create"')
    .option("--ca-hash <hash>", "the hash of the server's authority, from the same place")
    .option("--kubeconfig <file>", "speak to a server with these credentials, without joining");
  return agentOptions(command)
    .option(
      "--health-port <port>",
      "serve /healthz, /readyz and /metrics there, to this machine only (default: not at all)",
    )
    .option(
      "--listen <host[:port]>",
      `let API servers other than the one that was joined reach this node there: logs, exec and the like (default: only through the tunnel to that one; port ${LISTEN_PORT})`,
    )
    .addOption(logLevelOption())
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
  const level = logLevelOf(flags.logLevel);
  mkdirSync(flags.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = realpathSync(flags.dataDir);
  if (needsUserNamespace()) {
    const endsAfter = (): boolean => flags.drain === true;
    process.exitCode = await runInUserNamespace(dataDir, { endsAfter });
    return;
  }
  const logger = createLogger({ level, destination: logDestination(process.stderr) });
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
  of: Pick<AgentBasis, "settings" | "dataDir" | "logger">,
): Promise<void> {
  const { dataDir, logger } = of;
  const signal = stopSignal(logger);
  const metrics = createMetrics();
  processMetrics(metrics, serverVersion().gitVersion);
  const agent = prepareAgent({ flags, metrics, ...of });
  const identity = await identityOf(flags, { dataDir, logger, signal });
  const server = identity && serverSide(identity, logger);
  const nodeName = identity?.nodeName ?? flags.nodeName ?? nodeNameOf(hostname());
  const { kernel } = agent;
  const tell = (): void =>
    void process.stdout.write(readyLine({ nodeName, identity, kernel, dataDir }));
  try {
    await agent.run({ nodeName, server }, signal, tell);
  } finally {
    await server?.client.close();
  }
}

function settingsOf(flags: NodeFlags): AgentBasis["settings"] {
  const { server, token, caHash, kubeconfig } = flags;
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
    ...agentSettings(flags),
    healthPort: healthPort(flags.healthPort),
    listen: listenOf(flags),
  };
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
