// `driftless run`: a supervisor for one program. Fit to be the first process of a container.

import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { isatty } from "node:tty";
import { Command } from "commander";
import { HealthServer } from "../agent/health/health-server.ts";
import { systemClock } from "../base/clock.ts";
import { createLogger, type Logger } from "../base/logger.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import { systemRandom } from "../base/random.ts";
import { findConnection } from "../cli/find-connection.ts";
import { ApiClient } from "../client/api-client.ts";
import { endedChild, forgetChild } from "../mounts/wait-calls.ts";
import { lockFile } from "../runtime/file-lock.ts";
import { Acknowledgement } from "../sidecar/report/acknowledgement.ts";
import { Child } from "../supervisor/child.ts";
import { DirectorySource } from "../supervisor/directory-source.ts";
import type { Word } from "../supervisor/directory-words.ts";
import type { LiveSource } from "../supervisor/live-source.ts";
import { ObjectSource } from "../supervisor/object-source.ts";
import { passSignals } from "../supervisor/pass-signals.ts";
import { Program } from "../supervisor/program.ts";
import { Reaper } from "../supervisor/reaper.ts";
import { runMetrics } from "../supervisor/run-metrics.ts";
import { SnapshotFiles } from "../supervisor/snapshot-files.ts";
import { Supervisor } from "../supervisor/supervisor.ts";
import { MemoryGiver } from "./give-back-memory.ts";
import { logDestination } from "./log-destination.ts";
import { logLevelOf, logLevelOption } from "./log-level.ts";
import { type EnvironmentSpec, type RunFlags, type RunSpec, runSpecOf } from "./run-flags.ts";

const base = { clock: systemClock, random: systemRandom };
const REQUEST_TIMEOUT_MS = 60_000;

export function runCommand(): Command {
  return new Command("run")
    .showHelpAfterError(
      "(the program and its options go after --; add --help to see what there is)",
    )
    .description(
      "run a program with live configuration: restart or signal it when that changes, and keep its variables current",
    )
    .argument("<command...>", "the program and its arguments, after --")
    .optionsGroup("What it follows:")
    .option("--watch <dir>", "a directory, volume or file; may be repeated", repeated)
    .option(
      "--env-from <source>",
      "variables from a directory (each file is one), configmap/NAME or secret/NAME; with ? it may be missing; may be repeated, the last wins",
      repeated,
    )
    .option(
      "--start-timeout <duration>",
      "end with 1 if nothing could be started by then (default: wait, and say what for)",
    )
    .option(
      "--min-wait <duration>",
      "sources must be quiet for so long before a change is used",
      "100ms",
    )
    .option("--max-wait <duration>", "but no change waits longer", "5s")
    .option("--kubeconfig <file>", "how to reach the server of configmap/NAME and secret/NAME")
    .option("-n, --namespace <namespace>", "where those are (default: the pod's, or the context's)")
    .optionsGroup("What it does about a change:")
    .option(
      "--on-change <action>",
      "for other files: restart, signal:HUP or exec:COMMAND; other variables always restart",
      "restart",
    )
    .option("--gate <command>", "must end with 0 before a change is used; has the new variables")
    .option("--gate-timeout <duration>", "how long it may take", "30s")
    .option(
      "--ready <check>",
      "must work afterwards: http://HOST:PORT/PATH, tcp:PORT or exec:COMMAND (default: it lives for a second)",
    )
    .option("--ready-timeout <duration>", "how long that may take before it goes back", "60s")
    .option("--overlap", "start the new one, and end the old one when the new one is ready")
    .option(
      "--snapshot-dir <dir>",
      "where copies for {snapshot} are kept (default: the system's for temporary files)",
    )
    .optionsGroup("How it runs the program:")
    .option("--stop-signal <signal>", "asks it to end for a restart", "TERM")
    .option(
      "--grace <duration>",
      "how long it has to end before it is killed (default: 10s for restarts, no limit after a TERM that was passed on)",
    )
    .option("--restart", "start it again when it ends by itself (default: end as it did)")
    .option(
      "--listen <address>",
      "serve /livez, /readyz and /metrics on HOST:PORT (default: not at all)",
    )
    .addOption(logLevelOption())
    .addHelpText(
      "after",
      `
Examples:
  driftless run --watch /etc/app -- app
      restarted when files change
  driftless run --watch /etc/nginx --on-change signal:HUP --gate 'nginx -t' \\
    -- nginx -g 'daemon off;'
      told when files change, if nginx takes them
  driftless run --env-from /etc/env --env-from secret/db -- app
      variables that follow
  driftless run --watch /etc/app --ready http://127.0.0.1:8080/healthz \\
    -- app --config {snapshot}/app.yaml
      reads a copy of the files of one version, and goes back to the last good
      one if it does not become ready

Ends with the program's exit code; with 128 and the signal's number if a signal
ended it; with 127 if there is no such program, 126 if it cannot be started, 1
if nothing could be started within --start-timeout, and 2 if this is called
wrongly. Commands are split into words as a shell does it,
and run without one: say sh -c '…' for more.`,
    )
    .action(run);
}

async function run(command: readonly string[], flags: RunFlags): Promise<void> {
  const spec = runSpecOf(flags, command);
  // Whoever read what we say has gone: the program goes on.
  process.stderr.on("error", () => undefined);
  const logger = createLogger({
    level: logLevelOf(flags.logLevel),
    destination: logDestination(process.stderr),
  });
  using stack = new DisposableStack();
  if (process.pid === 1) {
    stack.use(new Reaper({ endedChild, forgetChild, clock: systemClock })).start();
  }
  const hasTerminal = isatty(0);
  const client = connected(spec, flags, logger);
  const source = (from: EnvironmentSpec): LiveSource => {
    if (from.type === "directory") return new DirectorySource({ ...from, ...base, logger });
    const { api, namespace } = client ?? unreachable();
    return new ObjectSource({
      ...from,
      client: api,
      objectName: from.name,
      namespace,
      ...base,
      logger,
    });
  };
  const parent = flags.snapshotDir ?? tmpdir();
  const snapshots = spec.usesSnapshots
    ? stack.use(new SnapshotFiles({ parent, lock: lockFile, ...base, logger }))
    : undefined;
  const program = new Program({
    ...spec,
    argv: command,
    env: ownEnvironment(),
    isLeader: !hasTerminal,
    snapshots,
    startChild: (child) => Child.start(child),
    clock: systemClock,
  });
  const metrics = createMetrics();
  const supervisor = new Supervisor({
    ...spec,
    program,
    environment: spec.envFrom.map(source),
    directories: spec.watch.map((path) => ({
      path,
      source: source({ type: "directory", path, isOptional: false }),
    })),
    words: wordsOn(spec, logger),
    hasTerminal,
    metrics: runMetrics(metrics),
    ...base,
    logger,
  });
  metrics.beforeText(() => supervisor.count());
  stack.use(passSignals(supervisor, { hasTerminal }));
  stack.use(new MemoryGiver({ clock: systemClock, logger })).noteWork();
  const stop = new AbortController();
  const health = serveHealth({ spec, supervisor, metrics, logger }, stop.signal);
  try {
    process.exitCode = await supervisor.run(stop.signal);
  } finally {
    stop.abort();
    await health;
    await client?.api.close();
  }
}

/** Under Driftless, where a node's agent reads it. The server's objects are nothing that a pod has mounted. */
function wordsOn({ watch, envFrom }: RunSpec, logger: Logger): ReadonlyMap<string, Word> {
  const directory = process.env["DRIFTLESS_ACK"];
  if (directory === undefined || directory === "") return new Map();
  const { pid } = process;
  const from = envFrom.flatMap((one) => (one.type === "directory" ? [one.path] : []));
  const paths = new Set([...watch, ...from]);
  return new Map(
    [...paths].map((path) => [
      path,
      new Acknowledgement({ directory, path, pid, clock: systemClock, logger }),
    ]),
  );
}

function repeated(value: string, all: readonly string[] = []): readonly string[] {
  return [...all, value];
}

/** Without what we set for our own threads. */
function ownEnvironment(): Readonly<Record<string, string | undefined>> {
  const { NODE_COMPILE_CACHE: cache, ...env } = process.env;
  const isOurs = cache === join(homedir(), ".cache", "driftless", "compiled");
  return isOurs ? env : process.env;
}

function connected(
  { envFrom }: RunSpec,
  { kubeconfig, namespace }: RunFlags,
  logger: Logger,
): { readonly api: ApiClient; readonly namespace: string } | undefined {
  if (!envFrom.some(({ type }) => type === "object")) return undefined;
  const connection = findConnection({
    kubeconfig,
    context: undefined,
    env: process.env,
    home: homedir(),
  });
  const api = new ApiClient({ connection, timeoutMs: REQUEST_TIMEOUT_MS, ...base, logger });
  return { api, namespace: namespace ?? connection.namespace };
}

/** A port that is taken must not keep the program from running: it is said, and that is all. */
async function serveHealth(
  of: {
    readonly spec: RunSpec;
    readonly supervisor: Supervisor;
    readonly metrics: Metrics;
    readonly logger: Logger;
  },
  signal: AbortSignal,
): Promise<void> {
  const { spec, supervisor, metrics, logger } = of;
  if (spec.listen === undefined) return;
  const readiness = [{ name: "program", problem: () => supervisor.problem }];
  const server = new HealthServer({ listen: spec.listen, health: [], readiness, metrics, logger });
  try {
    await server.run(signal);
  } catch (err) {
    logger.error("cannot serve health", { err });
  }
}

function unreachable(): never {
  throw new Error("There is no connection for an object");
}
