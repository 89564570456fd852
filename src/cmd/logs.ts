// `driftless logs`

import type { Command } from "commander";
import { misuse } from "../cli/cli-error.ts";
import { logs } from "../cli/logs.ts";
import { type CliFlags, cliCommand, runCli, wholeNumber } from "./cli-session.ts";
import { parseDuration } from "./duration.ts";

interface LogsFlags extends CliFlags {
  readonly selector?: string;
  readonly container?: string;
  readonly allContainers?: boolean;
  readonly allPods?: boolean;
  readonly follow?: boolean;
  readonly tail?: number;
  readonly since?: string;
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly prefix?: boolean;
  readonly maxLogRequests: number;
  readonly podRunningTimeout: string;
}

export function logsCommand(): Command {
  return cliCommand("logs")
    .description("show what containers have written")
    .argument("[what]", "a pod's name, or KIND/NAME, such as deploy/web")
    .argument("[container]", "the same as -c")
    .option("-l, --selector <labels>", "of all pods with these labels")
    .option("-c, --container <name>", "of this container")
    .option("--all-containers", "of all containers of the pod")
    .option("--all-pods", "of all pods of a Deployment or its like, with --prefix")
    .option("-f, --follow", "and what they go on to write, until Ctrl-C")
    .option("--tail <lines>", "the last lines (default: all, or 10 with -l)", wholeNumber)
    .option("--since <duration>", "what is newer, such as 30s, 5m or 3h")
    .option("--since-time <time>", "what is newer, such as 2026-01-31T12:00:00Z")
    .option("--limit-bytes <bytes>", "at most so much", wholeNumber)
    .option("-p, --previous", "of the container that ran before the last restart")
    .option("--timestamps", "with the time of each line")
    .option("--prefix", "with the pod and the container of each line")
    .option("--max-log-requests <n>", "how many are followed at once at most", wholeNumber, 5)
    .option("--pod-running-timeout <duration>", "how long to wait for a first pod", "20s")
    .addHelpText(
      "after",
      `
Examples:
  driftless logs web-5d9c7
  driftless logs -f deploy/web
  driftless logs web-5d9c7 -c sidecar --tail 20 --timestamps
  driftless logs -l app=web --prefix -f
  driftless logs web-5d9c7 --previous`,
    )
    .action(runLogs);
}

async function runLogs(
  word: string | undefined,
  container: string | undefined,
  flags: LogsFlags,
): Promise<void> {
  await runCli(flags, async (context) => {
    if (container !== undefined && flags.container !== undefined) {
      throw misuse("only one of -c or an inline [CONTAINER] arg is allowed");
    }
    const { tail, since } = flags;
    if (tail !== undefined && tail < -1) throw misuse("--tail must be greater than or equal to -1");
    return logs(context, {
      word,
      labelSelector: flags.selector,
      container: container ?? flags.container,
      isAllContainers: flags.allContainers === true,
      isAllPods: flags.allPods === true,
      follows: flags.follow === true,
      tailLines: tail === -1 ? undefined : tail,
      sinceSeconds:
        since === undefined ? undefined : Math.ceil(parseDuration("--since", since) / 1000),
      sinceTime: flags.sinceTime,
      limitBytes: flags.limitBytes,
      isPrevious: flags.previous === true,
      hasTimestamps: flags.timestamps === true,
      hasPrefix: flags.prefix === true || flags.allPods === true,
      maxRequests: flags.maxLogRequests,
      timeoutMs: parseDuration("--pod-running-timeout", flags.podRunningTimeout),
    });
  });
}
