// `driftless plan`

import type { Command } from "commander";
import { parseOutputFormat } from "../cli/output-format.ts";
import { plan } from "../cli/plan.ts";
import { type CliFlags, cliCommand, collected, runCli } from "./cli-session.ts";
import { terminalLook } from "./terminal-look.ts";

interface PlanFlags extends CliFlags {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly output?: string;
}

export function planCommand(): Command {
  return cliCommand("plan")
    .description("what a change would do to each consumer, before it is made")
    .argument("[what]", "KIND/NAME, such as configmap/app")
    .argument("[changes...]", "key=value, key=@file, or key- to remove one")
    .option(
      "-f, --filename <file>",
      "a file, a directory, or - (repeat it for more)",
      collected,
      [],
    )
    .option("-R, --recursive", "with the directories in directories")
    .option("-o, --output <format>", "json, yaml, or jsonpath=TEMPLATE")
    .addHelpText(
      "after",
      `
Examples:
  driftless plan configmap/app log.level=debug
  driftless plan -f config/ -R
  kustomize build overlays/prod | driftless plan -f -

The effects: nothing; hot, the files follow by themselves; signal, http and exec,
the process is told; restart, its pods are replaced; frozen, it keeps the old
content until somebody restarts it. Nothing is changed, and the checks of
DeliveryPolicies are named, not run. Values of Secrets are never shown.`,
    )
    .action(runPlan);
}

async function runPlan(
  what: string | undefined,
  changes: readonly string[],
  flags: PlanFlags,
): Promise<void> {
  await runCli(flags, (context) =>
    plan(context, {
      words: what === undefined ? [] : [what, ...changes],
      filenames: flags.filename,
      isRecursive: flags.recursive === true,
      format: parseOutputFormat(flags.output),
      look: terminalLook(),
    }),
  );
}
