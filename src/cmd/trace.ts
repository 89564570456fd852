// `driftless trace`

import type { Command } from "commander";
import { parseOutputFormat } from "../cli/output-format.ts";
import { trace } from "../cli/trace.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";
import { terminalLook } from "./terminal-look.ts";

interface TraceFlags extends CliFlags {
  readonly revision?: string;
  readonly output?: string;
}

export function traceCommand(): Command {
  return cliCommand("trace")
    .description("how long the last change took to each consumer")
    .argument("<what>", "KIND/NAME, such as configmap/app")
    .option("--revision <revision>", "of an earlier change: its number, or its hash")
    .option("-o, --output <format>", "json, yaml, or jsonpath=TEMPLATE")
    .addHelpText(
      "after",
      `
Examples:
  driftless trace configmap/app
  driftless trace secret/login --revision 3
  driftless trace configmap/app -o jsonpath='{.stages[*].p99Ms}'

The stages: committed by the server, seen by the node, gated (its checks passed),
on disk (the files were swapped), noticed by the process, applied by it. The last
two are known of processes that say so, by the library or by a reload action.`,
    )
    .action(runTrace);
}

async function runTrace(target: string, flags: TraceFlags): Promise<void> {
  await runCli(flags, (context) =>
    trace(context, {
      target,
      revision: flags.revision,
      format: parseOutputFormat(flags.output),
      look: terminalLook(),
    }),
  );
}
