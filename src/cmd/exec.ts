// `driftless exec`

import type { Command } from "commander";
import { misuse } from "../cli/cli-error.ts";
import { exec } from "../cli/exec.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";
import { parseDuration } from "./duration.ts";

interface ExecFlags extends CliFlags {
  readonly container?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly quiet?: boolean;
  readonly podRunningTimeout: string;
}

export function execCommand(): Command {
  return cliCommand("exec")
    .description("run a command in a container")
    .argument("<what>", "a pod's name, or KIND/NAME, such as deploy/web")
    .argument("[command...]", "the command and its arguments, behind --")
    .option("-c, --container <name>", "in this container")
    .option("-i, --stdin", "pass the standard input on")
    .option("-t, --tty", "at a terminal; with -i")
    .option("-q, --quiet", "say nothing but what the command says")
    .option("--pod-running-timeout <duration>", "how long to wait for a first pod", "60s")
    .usage("[options] <what> -- <command...>")
    .addHelpText(
      "after",
      `
Examples:
  driftless exec web-5d9c7 -- ls -l /etc/config
  driftless exec -it deploy/web -- sh
  driftless exec -i web-5d9c7 -c main -- tar xf - < files.tar

It ends with the exit code of the command.`,
    )
    .action(runExec);
}

async function runExec(word: string, command: readonly string[], flags: ExecFlags): Promise<void> {
  await runCli(flags, async (context) => {
    // The words behind "--" are not told from the others; it has to be there so that none is taken for a flag of ours.
    if (command.length > 0 && !process.argv.includes("--")) {
      throw misuse("exec [POD] [COMMAND] is not supported. Use exec [POD] -- [COMMAND] instead");
    }
    return exec(context, {
      word,
      command,
      container: flags.container,
      hasStdin: flags.stdin === true,
      wantsTty: flags.tty === true,
      isQuiet: flags.quiet === true,
      timeoutMs: parseDuration("--pod-running-timeout", flags.podRunningTimeout),
    });
  });
}
