// `driftless controllers`: the controllers on their own. Several may run for one server; one of them leads, the others wait.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { Command } from "commander";
import { HealthServer } from "../agent/health/health-server.ts";
import { systemClock } from "../base/clock.ts";
import { createLogger, type Logger } from "../base/logger.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import { processMetrics } from "../base/process-metrics.ts";
import { systemRandom } from "../base/random.ts";
import { type Part, RunGroup } from "../base/run-group.ts";
import { ApiClient } from "../client/api-client.ts";
import type { Connection } from "../client/kubeconfig.ts";
import { LEASE_TIMES, type LeaseTimes } from "../controller/leader-election.ts";
import { LEASE_NAMESPACE } from "../controller/lease-record.ts";
import { chooseControllers, controllerNames } from "../controllers/all-controllers.ts";
import { LEASE_NAME, runControllers } from "../controllers/run-controllers.ts";
import { type ControllersPlace, controllersConnection } from "./controllers-connection.ts";
import { parseDuration } from "./duration.ts";
import { endIfOverdue } from "./end-if-overdue.ts";
import { logDestination } from "./log-destination.ts";
import { logLevelOf, logLevelOption } from "./log-level.ts";
import { type MetricsFlags, metricsListenOption, metricsParts } from "./metrics-listen.ts";
import { MisuseError } from "./misuse-error.ts";
import { healthPort } from "./node-health.ts";
import { stopSignal } from "./stop-signal.ts";
import { serverVersion } from "./version.ts";

interface ControllersFlags extends ControllersPlace, MetricsFlags {
  readonly controllers: string;
  /** False: --no-leader-elect. */
  readonly leaderElect: boolean;
  readonly leaderElectLeaseDuration: string;
  readonly leaderElectRenewDeadline: string;
  readonly leaderElectRetryPeriod: string;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace: string;
  readonly namespace?: string;
  readonly rootCaFile?: string;
  readonly healthPort?: string;
  readonly logLevel: string;
}

const REQUEST_TIMEOUT_MS = 60_000;
const PUBLISHER = "root-ca-certificate-publisher-controller";

export function controllersCommand(): Command {
  return new Command("controllers")
    .description("run the controllers: deployments, scheduling, garbage collection, node health …")
    .option(
      "--data-dir <dir>",
      "of a server on this machine; its controllers.kubeconfig is used (default: ~/.driftless)",
    )
    .option("--kubeconfig <file>", "how to reach the server")
    .option(
      "--controllers <list>",
      "which: * for all, NAME for one, -NAME for all but that; the names are Kubernetes'",
      "*",
    )
    .option("--no-leader-elect", "do not wait for others to end: nobody else runs any")
    .option(
      "--leader-elect-lease-duration <duration>",
      "how long others wait for a leader that is silent",
      `${LEASE_TIMES.leaseMs / 1000}s`,
    )
    .option(
      "--leader-elect-renew-deadline <duration>",
      "how long a leader that cannot reach the server goes on",
      `${LEASE_TIMES.renewDeadlineMs / 1000}s`,
    )
    .option(
      "--leader-elect-retry-period <duration>",
      "how often the lease is renewed, or asked for",
      `${LEASE_TIMES.retryMs / 1000}s`,
    )
    .option("--leader-elect-resource-name <name>", "the Lease", LEASE_NAME)
    .option("--leader-elect-resource-namespace <name>", "where it is", LEASE_NAMESPACE)
    .option(
      "--namespace <name>",
      "look after this one alone, with no rights elsewhere; for the reload controller (default: all)",
    )
    .option(
      "--root-ca-file <file>",
      "certificates by which pods know the server (default: those in the kubeconfig)",
    )
    .option(
      "--health-port <port>",
      "serve /healthz, /readyz and /metrics there, to this machine only (default: not at all)",
    )
    .addOption(metricsListenOption())
    .addOption(logLevelOption())
    .addHelpText(
      "after",
      `
Examples:
  driftless controllers                                    for the server of ~/.driftless
  driftless controllers --data-dir /var/lib/driftless
  driftless controllers --kubeconfig controllers.kubeconfig  from another machine; start it on two, and one stands by
  driftless controllers --controllers '*,-scheduler'         the scheduler is somebody else's
  driftless controllers --kubeconfig F --controllers reload  restarts on changed configuration, on any Kubernetes
In a pod, without --kubeconfig and --data-dir, its service account is used.

Controllers: ${controllerNames.join(", ")}`,
    )
    .action(runCommand);
}

async function runCommand(flags: ControllersFlags): Promise<void> {
  const { times, port } = settingsOf(flags);
  const logger = createLogger({
    level: logLevelOf(flags.logLevel),
    destination: logDestination(process.stderr),
  });
  const connection = controllersConnection(flags, process.env);
  const rootCertificates = rootCertificatesOf(flags, connection);
  const base = { clock: systemClock, random: systemRandom, logger };
  const client = new ApiClient({ connection, timeoutMs: REQUEST_TIMEOUT_MS, ...base });
  const identity = `${hostname()}_${randomUUID()}`;
  const { leaderElectResourceName: leaseName, leaderElectResourceNamespace: leaseNamespace } =
    flags;
  const lease = { identity, leaseName, leaseNamespace };
  const elect = flags.leaderElect ? { ...lease, ...times } : undefined;
  const metrics = createMetrics();
  processMetrics(metrics, serverVersion().gitVersion);
  const leads = metrics.gauge({
    name: "leader_election_master_status",
    help: "1 while this process leads, 0 while another may.",
    labels: ["name"],
  });
  leads.set(0, { name: leaseName });
  print(
    elect === undefined
      ? `starting for ${connection.server}`
      : `candidate ${identity} for ${leaseNamespace}/${leaseName} of ${connection.server}`,
  );
  const options = {
    client,
    namespace: flags.namespace,
    rootCertificates,
    elect,
    metrics,
    ...base,
    // Pods that are given no certificates know the server by the system's.
    controllers: `${rootCertificates === "" ? `-${PUBLISHER},` : ""}${flags.controllers}`,
    onReady: () => {
      leads.set(1, { name: leaseName });
      print(`controllers at work for ${connection.server}`);
    },
    onStopped: () => leads.set(0, { name: leaseName }),
  };
  const parts: readonly Part[] = [
    ...healthParts({ port, metrics, logger }),
    ...metricsParts(flags, { metrics: [metrics], logger }),
    { name: "controllers", run: (signal) => runControllers(options, signal) },
  ];
  try {
    await new RunGroup({ parts, clock: systemClock }).run(stopSignal(logger));
  } catch (err) {
    endIfOverdue(err);
    throw err;
  } finally {
    await client.close();
  }
}

function settingsOf(flags: ControllersFlags): {
  readonly times: LeaseTimes;
  readonly port: number | undefined;
} {
  logLevelOf(flags.logLevel);
  const chosen = chosenOf(flags.controllers);
  const wider = chosen.filter(({ isNamespaced = false }) => !isNamespaced);
  if (flags.namespace !== undefined && wider.length > 0) {
    const names = wider.map(({ name }) => name).join(", ");
    throw new MisuseError(`--namespace ${flags.namespace}: not with ${names}, who look after all`);
  }
  const leaseMs = parseDuration("--leader-elect-lease-duration", flags.leaderElectLeaseDuration);
  const renewDeadlineMs = parseDuration(
    "--leader-elect-renew-deadline",
    flags.leaderElectRenewDeadline,
  );
  const retryMs = parseDuration("--leader-elect-retry-period", flags.leaderElectRetryPeriod);
  if (leaseMs <= renewDeadlineMs || renewDeadlineMs <= 1.2 * retryMs) {
    throw new MisuseError(
      "--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline, and that much longer than --leader-elect-retry-period",
    );
  }
  return { times: { leaseMs, renewDeadlineMs, retryMs }, port: healthPort(flags.healthPort) };
}

function chosenOf(text: string): ReturnType<typeof chooseControllers> {
  try {
    return chooseControllers(text);
  } catch (err) {
    throw new MisuseError(`--controllers ${text}: ${(err as Error).message}`);
  }
}

function rootCertificatesOf({ rootCaFile }: ControllersFlags, { authority }: Connection): string {
  return rootCaFile === undefined ? (authority ?? "") : readFileSync(rootCaFile, "utf8");
}

/** Who stands by is well: it does what it is there for. */
function healthParts(of: {
  readonly port: number | undefined;
  readonly metrics: Metrics;
  readonly logger: Logger;
}): readonly Part[] {
  const { port, metrics, logger } = of;
  if (port === undefined) return [];
  const nothing = { health: [], readiness: [] };
  const server = new HealthServer({ listen: { port }, ...nothing, metrics, logger });
  return [{ name: "health", run: (signal) => server.run(signal) }];
}

function print(text: string): void {
  process.stdout.write(`driftless: ${text}\n`);
}
