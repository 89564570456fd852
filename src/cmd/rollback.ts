// `driftless rollback`

import type { Command } from "commander";
import { rollback } from "../cli/rollback.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";
import { terminalLook } from "./terminal-look.ts";

interface RollbackFlags extends CliFlags {
  readonly to?: string;
  readonly dryRun?: boolean;
}

export function rollbackCommand(): Command {
  return cliCommand("rollback")
    .description("give a ConfigMap or Secret back a content that it had")
    .argument("<what>", "KIND/NAME, such as configmap/hello or secret/login")
    .option("--to <revision>", "a number or the beginning of a hash (default: the one before)")
    .option("--dry-run", "change nothing, but let the server check it")
    .addHelpText(
      "after",
      `
Examples:
  driftless rollback configmap/hello
  driftless rollback configmap/hello --to 3
  driftless rollback secret/login --to a1b2c3d4e5 --dry-run

Only the content goes back: labels, annotations and the type of a Secret stay.
It is a change like any other, with a revision of its own: rolling back twice
brings the content of before. If somebody changes the content meanwhile, theirs
stays, and this fails.`,
    )
    .action(runRollback);
}

async function runRollback(target: string, flags: RollbackFlags): Promise<void> {
  await runCli(flags, (context) =>
    rollback(context, {
      target,
      to: flags.to,
      isDryRun: flags.dryRun === true,
      look: terminalLook(),
    }),
  );
}
