// `driftless up`: server, controllers and node in one process.

import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { createLogger } from "../base/logger.ts";
import { type AgentFlags, agentOptions, agentSettings } from "./agent-flags.ts";
import { EarlyStore } from "./early-store.ts";
import { parseListen } from "./listen-address.ts";
import { logLevelOf, logLevelOption } from "./log-level.ts";
import { type MetricsFlags, metricsListenOption } from "./metrics-listen.ts";
import { type ServerFlags, serverOptions } from "./server-flags.ts";
import { SHORTCOMING } from "./shortcoming.ts";
import { startProblem } from "./start-problem.ts";
import { openStore } from "./store-flags.ts";
import { lockUp } from "./up-lock.ts";
import { UpLog } from "./up-log.ts";
import { needsUserNamespace, runInUserNamespace } from "./user-namespace.ts";

export interface UpFlags extends ServerFlags, AgentFlags, MetricsFlags {
  /** False: --no-node. */
  readonly node: boolean;
  readonly drain?: boolean;
  readonly logLevel: string;
}

export function upCommand(): Command {
  const command = new Command("up")
    .description("run it all: server, controllers and node in one process, on this machine")
    .option("--no-node", "run no pods on this machine")
    .option("--drain", "end the pods of this machine when it stops; without it they go on")
    .addOption(metricsListenOption())
    .addOption(logLevelOption())
    .helpOption("-h, --help", "display help for command");
  const withServer = serverOptions(command.optionsGroup("Of the server:"));
  return agentOptions(withServer.optionsGroup("Of the node:"))
    .addHelpText(
      "after",
      `
Examples:
  driftless up
  driftless up --drain                                   nothing is left running when it stops
  driftless up --data-dir /var/lib/driftless --listen 0.0.0.0:8443 --advertise config.example.com
  driftless up --no-node --store etcd:http://10.0.0.1:2379

The first start makes certificates and an admin's kubeconfig, DIR/kubeconfig; the next ones go on where it was. The log is
DIR/up.log; warnings are printed too. Ctrl-C stops it and leaves the containers running; a second Ctrl-C does not wait.
Other machines join with "driftless token create". As root or as any other user.`,
    )
    .action(up);
}

/** Checks what can be wrong, and finds out as whom to run. What runs is loaded while the store is opened. */
async function up(given: UpFlags): Promise<void> {
  parseListen(given.listen);
  if (given.metricsListen !== undefined) parseListen(given.metricsListen, "--metrics-listen");
  agentSettings(given);
  const level = logLevelOf(given.logLevel);
  const flags = { ...given, dataDir: madeDirectory(given) };
  if (flags.node && needsUserNamespace()) {
    // If it has not ended as it should, there may be containers that live in the namespaces.
    const endsAfter = (exitCode: number): boolean => flags.drain === true && exitCode === 0;
    process.exitCode = await runInUserNamespace(flags.dataDir, { endsAfter });
    return;
  }
  // A terminal that is gone hears nothing; that ends nobody.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  using _lock = await lockUp(flags);
  using log = openLog(flags);
  const logger = createLogger({ level, destination: log });
  using store = EarlyStore.begin(await openStore(flags, logger));
  const { runUp } = await import("./run-up.ts");
  await runUp({ flags, store, logger });
}

function madeDirectory(flags: UpFlags): string {
  try {
    mkdirSync(flags.dataDir, { recursive: true, mode: 0o700 });
    return realpathSync(flags.dataDir);
  } catch (err) {
    throw startProblem(err, flags);
  }
}

function openLog(flags: UpFlags): UpLog {
  const file = join(flags.dataDir, "up.log");
  const log = new UpLog({ file, people: process.stderr, quiet: [SHORTCOMING] });
  try {
    log.open();
    return log;
  } catch (err) {
    throw startProblem(err, flags);
  }
}
