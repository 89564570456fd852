// What runs behind `driftless up`. Server, node and controllers start in this order and stop in the other: whoever needs the server
// stops before it, and with --drain nobody makes new pods while the old ones end. They speak over the port, each as who it is.

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { isLoopback } from "../apiserver/http/is-loopback.ts";
import type { Credentials } from "../apiserver/pki/credentials.ts";
import type { CertificateAndKey } from "../apiserver/pki/issue.ts";
import { certificateKeyHash } from "../apiserver/pki/key-hash.ts";
import { unlessAborted } from "../base/abort.ts";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import { processMetrics } from "../base/process-metrics.ts";
import { systemRandom } from "../base/random.ts";
import { type Part, PartError, RunGroup } from "../base/run-group.ts";
import { ApiClient } from "../client/api-client.ts";
import { runControllers } from "../controllers/run-controllers.ts";
import { commandPlace } from "./command-place.ts";
import type { EarlyStore } from "./early-store.ts";
import { endIfOverdue } from "./end-if-overdue.ts";
import { urlOf } from "./listen-address.ts";
import { metricsParts } from "./metrics-listen.ts";
import {
  isWildcard,
  outsideAddresses,
  prepareServer,
  type RunningServer,
} from "./prepare-server.ts";
import { adminKubeconfig } from "./server-flags.ts";
import { stopSignal } from "./stop-signal.ts";
import { createJoinToken, joinCommand } from "./token.ts";
import type { UpFlags } from "./up.ts";
import { type FirstToken, readyText, stoppedText } from "./up-message.ts";
import { UpNode } from "./up-node.ts";
import { serverVersion } from "./version.ts";

const REQUEST_TIMEOUT_MS = 60_000;
/** Then whoever waits hears where to look. */
const SLOW_MS = 15_000;
/** Of the first join token. */
const TOKEN_MS = 3_600_000;

export interface RunUpOptions {
  /** The data directory is there, locked, and has no symbolic links. */
  readonly flags: UpFlags;
  readonly store: EarlyStore;
  readonly logger: Logger;
}

/** Until it is told to stop. */
export async function runUp({ flags, store, logger }: RunUpOptions): Promise<void> {
  const { dataDir } = flags;
  const stop = stopSignal(logger, stopSignals());
  const metrics = createMetrics();
  // Apart, so that it is what any other node's are: who collects those of all nodes has nothing twice.
  const nodeMetrics = createMetrics();
  processMetrics(metrics, serverVersion().gitVersion);
  const listening = metricsParts(flags, { metrics: [metrics, nodeMetrics], logger });
  const isFirst = !existsSync(adminKubeconfig(flags));
  const server = await prepareServer(flags, { store, logger, metrics });
  const node = flags.node ? new UpNode({ flags, logger, metrics: nodeMetrics, stop }) : undefined;
  const serving = Promise.withResolvers<RunningServer>();
  const controlling = Promise.withResolvers<void>();
  const place = commandPlace(flags);
  const parts: readonly Part[] = [
    ...listening,
    { name: "server", run: (signal) => server.run(signal, serving.resolve) },
    ...(node === undefined ? [] : [nodePart(node, serving.promise)]),
    {
      name: "controllers",
      run: async (signal) => {
        const running = await unlessAborted(serving.promise, signal);
        if (running === undefined) return;
        const onReady = controlling.resolve;
        await control({ flags, logger, metrics, server: running, onReady }, signal);
      },
    },
    {
      name: "greeting",
      mayEnd: true,
      run: async (signal) => {
        using _patience = systemClock.schedule(SLOW_MS, () => tell(slowText(dataDir)));
        const all = Promise.all([serving.promise, node?.ready, controlling.promise]);
        const ready = await unlessAborted(all, signal);
        if (ready === undefined) return;
        const [running, line] = ready;
        // Since the process began: the runtime counts from there.
        const tookMs = performance.now();
        const joining = isFirst ? await firstToken(flags, running) : undefined;
        const drains = flags.drain === true && node !== undefined;
        const text = { url: running.url, dataDir, node: line, joining, drains, place };
        tell(readyText({ tookMs, ...text }, process.stdout.isTTY));
      },
    },
  ];
  stop.addEventListener("abort", () => tell(stoppingText(flags, node)));
  try {
    await new RunGroup({ parts, clock: systemClock }).run(stop);
  } catch (err) {
    // What failed says what to do; that it was a part of something says nothing.
    throw err instanceof PartError && err.cause !== undefined ? err.cause : err;
  }
  const { containers = 0, ended } = node ?? {};
  tell(stoppedText({ containers, ended, program: place.program, dataDir }));
}

function nodePart(node: UpNode, serving: Promise<RunningServer>): Part {
  return {
    name: "node",
    run: async (signal) => {
      node.prepare();
      await node.run(serving, signal);
    },
  };
}

async function control(
  of: {
    readonly flags: UpFlags;
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly server: RunningServer;
    readonly onReady: () => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const { flags, logger, metrics, server, onReady } = of;
  const { authority } = server.credentials;
  const connection = server.connectionAs(controllersOf);
  const base = { clock: systemClock, random: systemRandom, logger };
  const client = new ApiClient({ connection, timeoutMs: REQUEST_TIMEOUT_MS, ...base });
  // Other stores are this process's own.
  const isShared = flags.store.startsWith("etcd:");
  const elect = isShared ? { identity: `${hostname()}_${randomUUID()}` } : undefined;
  // Somebody else may lead for as long as it likes.
  if (isShared) onReady();
  try {
    const rootCertificates = authority.certificate;
    await runControllers({ client, rootCertificates, elect, onReady, metrics, ...base }, signal);
  } catch (err) {
    endIfOverdue(err);
    throw err;
  } finally {
    await client.close();
  }
}

function controllersOf({ controllers }: Credentials): CertificateAndKey {
  if (controllers !== undefined) return controllers;
  throw new Error(
    "Cannot run the controllers: they have no certificate, and the key of the authority is missing. Put pki/ca.key back",
  );
}

/** To begin with: later ones are made by `driftless token create`. */
async function firstToken(flags: UpFlags, server: RunningServer): Promise<FirstToken> {
  const { host, port } = server.listen;
  const [outside = host] = isWildcard(host) ? outsideAddresses() : [host];
  const url = flags.advertise.length > 0 ? server.url : urlOf({ host: outside, port });
  // As whoever started it would: this is theirs to do.
  const connection = server.connectionAs(({ admin }) => admin);
  const base = { clock: systemClock, timeoutMs: REQUEST_TIMEOUT_MS };
  const client = new ApiClient({ connection, ...base });
  try {
    const expiresMs = systemClock.now() + TOKEN_MS;
    const made = { expiresMs, nodeName: "", description: "made by the first start" };
    const { id, secret } = await createJoinToken(client, made);
    const caHash = certificateKeyHash(server.credentials.authority.certificate);
    const token = `${id}.${secret}`;
    const command = joinCommand({ server: url, token, caHash, node: "" });
    return { token, command: isLoopback(host) ? undefined : command };
  } finally {
    await client.close();
  }
}

/** A terminal that is closed takes with it what was started in it; without one, SIGHUP asks for new log files. */
function stopSignals(): readonly string[] {
  return ["SIGINT", "SIGTERM", ...(process.stdout.isTTY ? ["SIGHUP"] : [])];
}

function stoppingText({ drain }: UpFlags, node: UpNode | undefined): string {
  const newline = process.stdout.isTTY ? "\n" : "";
  const isDraining = drain === true && (node?.containers ?? 0) > 0;
  return newline + (isDraining ? "driftless: ending the containers …\n" : "");
}

function slowText(dataDir: string): string {
  return `driftless: this takes longer than it should; ${dataDir}/up.log says what it does\n`;
}

function tell(text: string): void {
  process.stdout.write(text);
}
