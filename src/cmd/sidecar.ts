// `driftless sidecar`: composes sources into files beside an app, and tells the app.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter } from "node:path";
import { Command } from "commander";
import { type Answer, HealthServer } from "../agent/health/health-server.ts";
import { aborted } from "../base/abort.ts";
import { systemClock } from "../base/clock.ts";
import { describe, isErrno } from "../base/errors.ts";
import { createLogger, type Logger } from "../base/logger.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import { systemRandom } from "../base/random.ts";
import { type Part, RunGroup } from "../base/run-group.ts";
import { findConnection } from "../cli/find-connection.ts";
import { ApiClient } from "../client/api-client.ts";
import { currentProcess } from "../files/process-identity.ts";
import type { ReloadProgress } from "../reload/reloader.ts";
import { dropInFlags } from "../sidecar/drop-ins/drop-in.ts";
import { logLines } from "../sidecar/drop-ins/log-lines.ts";
import { createOldMetrics } from "../sidecar/drop-ins/old-metrics.ts";
import { DirectoryTakenError, lockDirectory } from "../sidecar/publish/directory-lock.ts";
import { defaultStateDirectory } from "../sidecar/publish/state-directory.ts";
import type { SidecarObserver } from "../sidecar/report/observer.ts";
import { PodEvents } from "../sidecar/report/pod-events.ts";
import type { Reporter } from "../sidecar/report/reporter.ts";
import { sidecarParts } from "../sidecar/sidecar-parts.ts";
import type { Source } from "../sidecar/source.ts";
import { newSources } from "../sidecar/sources/new-source.ts";
import type { ObjectApi } from "../sidecar/sources/objects-source.ts";
import { MemoryGiver } from "./give-back-memory.ts";
import { logDestination } from "./log-destination.ts";
import { type SidecarPlan, sidecarFlags, sidecarPlan } from "./sidecar-flags.ts";
import { stopSignal } from "./stop-signal.ts";

const base = { clock: systemClock, random: systemRandom };
const REQUEST_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;

export function sidecarCommand(): Command {
  return (
    sidecarFlags(new Command("sidecar"))
      .description("make files beside an app from ConfigMaps, volumes and URLs, and reload the app")
      // Those of the programs that it stands in for; what nobody knows is refused later.
      .option(
        "--as <program>",
        "stand in for k8s-sidecar, configmap-reload or prometheus-config-reloader",
      )
      .allowUnknownOption()
      .allowExcessArguments()
      .addHelpText(
        "after",
        `
Examples:
  driftless sidecar -f compose.yaml --explain
  driftless sidecar -f compose.yaml --dry-run
  driftless sidecar -f compose.yaml --once --timeout 2m
  driftless sidecar -f compose.yaml --listen 0.0.0.0:8080
  driftless sidecar --as configmap-reload --volume-dir=/etc/config \\
    --webhook-url=http://127.0.0.1:9090/-/reload
  LABEL=grafana_dashboard FOLDER=/dashboards driftless sidecar --as k8s-sidecar

With --as, variables and flags are those of that program: docs/drop-ins.md has a
line for each of them, and "--as PROGRAM --help" names the flags.

What fails the gate never goes live: the last good version stays, also across
restarts.

Exit codes:
  0  told to end; --once: live, and the app was told; --dry-run: it could go
     live
  1  failed; another sidecar has the output; --once: not done in time, or
     stopped before that; --dry-run: it could not be made or written, or the gate
     does not let it through
  2  called wrongly, or a mistake in the compose file`,
      )
      .addHelpText("after", () => flagsText(dropInFlags(process.argv.slice(3))))
      .action(() => run(process.argv.slice(3)))
  );
}

/** For the help; "" if there are none. */
function flagsText(flags: readonly string[]): string {
  return flags.length === 0
    ? ""
    : `\nFlags of that program:\n${flags.map((flag) => `  ${flag}`).join("\n")}`;
}

/** As the program writes it that is stood in for. */
function destinationOf({ dropIn }: SidecarPlan): ReturnType<typeof logDestination> {
  if (dropIn === undefined) return logDestination(process.stderr);
  const form = logLines(dropIn.log);
  return { write: (line) => void process.stderr.write(form(line)) };
}

async function run(argv: readonly string[]): Promise<void> {
  const plan = sidecarPlan(argv, process.env);
  const logger = createLogger({ level: plan.logLevel, destination: destinationOf(plan) });
  const signal = stopSignal(logger);
  using api = new Api(plan, logger);
  const sources = newSources(plan.spec, {
    ...{ ...base, logger, variables: process.env, excludes: ownPaths(plan) },
    api: () => api.get(),
  });
  switch (plan.mode) {
    case "explain":
    case "dryRun":
      for (const note of plan.notes) process.stderr.write(`driftless: note: ${note}\n`);
      return await show(plan, { sources, logger, signal });
    case "once":
    case "run":
      for (const note of plan.notes) logger.warn("note", { note });
      return await serve(plan, { sources, api, logger, signal });
  }
}

/** Loaded by whoever wants to see it. */
async function show(plan: SidecarPlan, scene: Omit<Scene, "api">): Promise<void> {
  const { explain, dryRun } = await import("./sidecar-show.ts");
  const look = {
    ...scene,
    spec: plan.spec,
    timeoutMs: plan.timeoutMs,
    stateDirectory: stateOf(plan),
  };
  await (plan.mode === "explain" ? explain(look) : dryRun(look));
}

/** The API server, once somebody needs it. */
class Api implements Disposable {
  readonly #plan: SidecarPlan;
  readonly #logger: Logger;
  #found: ObjectApi | undefined;

  constructor(plan: SidecarPlan, logger: Logger) {
    this.#plan = plan;
    this.#logger = logger;
  }

  get(): ObjectApi {
    this.#found ??= this.#connect();
    return this.#found;
  }

  [Symbol.dispose](): void {
    this.#found?.client[Symbol.dispose]();
  }

  #connect(): ObjectApi {
    const { kubeconfig, dropIn } = this.#plan;
    // A program that is stood in for takes the file only if it is there.
    const isUsed = kubeconfig !== undefined && (dropIn === undefined || existsSync(kubeconfig));
    const isStale = !isUsed && this.#noteFallback();
    const found = findConnection({
      kubeconfig: isUsed ? kubeconfig : undefined,
      // … and else the one in the home directory.
      env: dropIn !== undefined && isStale ? { ...process.env, KUBECONFIG: "" } : process.env,
      home: homedir(),
    });
    const connection = dropIn?.skipsApiTlsVerify === true ? { ...found, isInsecure: true } : found;
    const client = new ApiClient({
      ...{ connection, timeoutMs: REQUEST_TIMEOUT_MS, ...base, logger: this.#logger },
    });
    return { client, namespace: connection.namespace };
  }

  /** Whether KUBECONFIG names nothing. Whoever set it may wonder why it is somebody else who asks. */
  #noteFallback(): boolean {
    const files = (process.env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
    if (files.length === 0 || files.some((file) => existsSync(file))) return false;
    this.#logger.warn("KUBECONFIG names no file that is there: another account is used", { files });
    return true;
  }
}

interface Scene {
  readonly sources: readonly Source[];
  readonly api: Api;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

async function serve(plan: SidecarPlan, scene: Scene): Promise<void> {
  const { sources, logger, signal } = scene;
  const stateDirectory = stateOf(plan);
  await using _locks = await locks(plan, stateDirectory, logger);
  const metrics = createMetrics();
  const events = podEvents(scene);
  const end = new AbortController();
  signal.addEventListener("abort", () => end.abort(), { once: true });
  const tries = plan.mode === "once" ? plan.dropIn?.onceTries : undefined;
  const gaveUp = Promise.withResolvers<void>();
  using memory = new MemoryGiver({ clock: systemClock, logger });
  memory.noteWork();
  await using parts = sidecarParts({
    ...{ spec: plan.spec, sources, variables: process.env, self: currentProcess(), ...base },
    ...{ stateDirectory, ackDirectory: process.env["DRIFTLESS_ACK"] || undefined },
    isBeforeApp: plan.mode === "once" && plan.dropIn === undefined && !plan.spec.reload.onStart,
    onProgress: ({ result, attempts }: ReloadProgress) => {
      memory.noteWork();
      if (result === "Failing" && attempts >= (tries ?? Infinity)) gaveUp.resolve();
    },
    ...{ events, metrics, logger, observer: oldMetrics(plan, metrics) },
  });
  const { sidecar, reporter } = parts;
  const group = new RunGroup({
    parts: [
      ...healthParts(plan, { reporter, metrics, logger }),
      ...(events === undefined ? [] : [events]),
      ...sources,
      sidecar,
    ],
    ...{ clock: systemClock, stopTimeoutMs: STOP_TIMEOUT_MS },
  });
  const running = group.run(end.signal);
  if (plan.mode === "once") {
    const applied = Promise.race([sidecar.applied, gaveUp.promise]);
    const outcome = await onceOutcome(applied, { plan, running, signal });
    end.abort();
    if (outcome !== undefined) {
      process.exitCode = 1;
      process.stderr.write(`driftless: ${outcome}: ${reasonOf(reporter)}\n`);
    }
  }
  await running;
}

/** Of the output and the state: two sidecars would undo each other's work for ever. */
async function locks(
  { spec }: SidecarPlan,
  stateDirectory: string | undefined,
  logger: Logger,
): Promise<AsyncDisposable> {
  const { output } = spec;
  const directories = [
    ...(output.type === "none" || ("share" in output && output.share !== undefined)
      ? []
      : [{ directory: output.path }]),
    ...(stateDirectory === undefined ? [] : [{ directory: stateDirectory, mode: 0o700 }]),
  ];
  await using held = new AsyncDisposableStack();
  for (const one of directories) {
    try {
      held.use(await lockDirectory({ ...one, pid: process.pid, clock: systemClock }));
    } catch (err) {
      if (err instanceof DirectoryTakenError) throw err;
      // A disk that is full or read-only may be so no longer when there is something to write.
      logger.warn("directory is not locked against other sidecars", {
        ...{ directory: one.directory, reason: describe(err) },
      });
    }
  }
  return held.move();
}

/** Under the names that a program had that is stood in for. */
function oldMetrics({ dropIn, spec }: SidecarPlan, metrics: Metrics): SidecarObserver | undefined {
  if (dropIn === undefined) return undefined;
  const { program } = dropIn;
  const { actions } = spec.reload;
  return createOldMetrics({ program, actions, sources: spec.sources.size, metrics });
}

/** Why --once ends before it is done; undefined if it is done, or if a part has failed, which whoever waits for `running` tells. */
async function onceOutcome(
  done: Promise<void>,
  of: { readonly plan: SidecarPlan; readonly running: Promise<void>; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { plan, running, signal } = of;
  const late = Promise.withResolvers<string>();
  using _timer = systemClock.schedule(plan.timeoutMs, () => late.resolve("not done in time"));
  const nothing = (): undefined => undefined;
  return await Promise.race([
    done.then(nothing),
    late.promise,
    aborted(signal).then(() => "stopped before it was done"),
    running.then(nothing, nothing),
  ]);
}

function reasonOf({ problems }: Reporter): string {
  const all = [...problems].map(([stage, text]) => `${stage}: ${text}`);
  return all.length === 0 ? "sources have said nothing yet" : all.join("; ");
}

function stateOf({ spec, stateDirectory }: SidecarPlan): string | undefined {
  const { output } = spec;
  if (stateDirectory !== undefined || output.type === "none") return stateDirectory;
  const share = output.type === "files" ? output.share : undefined;
  return defaultStateDirectory(output.path) + (share === undefined ? "" : `.${share}`);
}

/** A directory that has the output in it would feed on itself. */
function ownPaths(plan: SidecarPlan): ReadonlySet<string> {
  const { output } = plan.spec;
  const written = output.type === "none" ? undefined : output.path;
  return new Set([written, stateOf(plan)].filter((one) => one !== undefined));
}

/** On its own pod, if it knows which one that is and can ask somebody. */
function podEvents({ api, logger }: Scene): PodEvents | undefined {
  const { POD_NAME: name, POD_NAMESPACE: namespace, POD_UID: uid } = process.env;
  if (!name || !namespace) return undefined;
  try {
    const { client } = api.get();
    return new PodEvents({ client, pod: { name, namespace, uid }, clock: systemClock, logger });
  } catch (err) {
    logger.info("events are not recorded: there is no API server", { err });
    return undefined;
  }
}

function healthParts(
  { listen }: SidecarPlan,
  of: { readonly reporter: Reporter; readonly metrics: Metrics; readonly logger: Logger },
): readonly Part[] {
  if (listen === undefined) return [];
  const { reporter, metrics, logger } = of;
  const { host = "", port, isOptional, metricsPath, health } = listen;
  const problem = (): string | undefined => reporter.readinessProblem();
  const more = (path: string): Answer | "metrics" | undefined => {
    if (path === metricsPath) return "metrics";
    if (health?.path !== path) return undefined;
    const wrong = health.is === "ready" ? problem() : undefined;
    return wrong === undefined ? { code: 200, text: health.text } : { code: 503, text: wrong };
  };
  const server = new HealthServer({
    ...{ listen: { host, port }, health: [], readiness: [{ name: "configuration", problem }] },
    ...{ more, metrics, logger },
  });
  const serve = async (signal: AbortSignal): Promise<void> => {
    try {
      await server.run(signal);
    } catch (err) {
      if (!isOptional || !(err instanceof Error && isErrno(err.cause, "EADDRINUSE"))) throw err;
      logger.warn("health is not told: the port is taken", { port });
    }
  };
  return [{ name: "health", run: serve, mayEnd: isOptional }];
}
