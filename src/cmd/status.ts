// `driftless status`

import type { Command } from "commander";
import { misuse } from "../cli/cli-error.ts";
import { parseOutputFormat } from "../cli/output-format.ts";
import { status } from "../cli/status.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";
import { parseDuration } from "./duration.ts";
import { terminalLook } from "./terminal-look.ts";

interface StatusFlags extends CliFlags {
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly output?: string;
  readonly wait?: boolean;
  readonly timeout: string;
}

export function statusCommand(): Command {
  return cliCommand("status")
    .description("who has which version, since when, and why not")
    .argument("[what]", "configmap/NAME, secret/NAME, pod/NAME, deployment/NAME; all if missing")
    .option("--all", "everything in the namespace, which is the default")
    .option("-A, --all-namespaces", "of all namespaces")
    .option("-o, --output <format>", "wide, json, yaml, or jsonpath=TEMPLATE")
    .option("--wait", "until everyone has it, or the time is over")
    .option("--timeout <duration>", "how long to wait, such as 90s or 5m", "5m")
    .addHelpText(
      "after",
      `
Examples:
  driftless status
  driftless status configmap/app
  driftless status deployment/api -o wide
  driftless apply -f config/ && driftless status configmap/app --wait --timeout 2m

Ends with 0 if every consumer is in sync, 1 if one is not, 2 if it was called
wrongly. In sync means: what the process can read, or was started with, is what
the object holds now. "applied" means that the process has said so, or has it by
its start; "not confirmed" that nobody but the process knows.
--wait also waits for rollouts under way, and says at once what is in the way.`,
    )
    .action(runStatus);
}

async function runStatus(target: string | undefined, flags: StatusFlags): Promise<void> {
  const timeoutMs = parseDuration("--timeout", flags.timeout);
  await runCli(flags, async (context) => {
    if (target !== undefined && flags.all === true) {
      throw misuse("say what to look at, or --all, not both");
    }
    return status(context, {
      target,
      isAllNamespaces: flags.allNamespaces === true,
      format: parseOutputFormat(flags.output),
      look: terminalLook(),
      waitMs: flags.wait === true ? timeoutMs : undefined,
    });
  });
}
