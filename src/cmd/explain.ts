// `driftless explain`

import type { Command } from "commander";
import { explain } from "../cli/explain.ts";
import { parseOutputFormat } from "../cli/output-format.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";
import { terminalLook } from "./terminal-look.ts";

interface ExplainFlags extends CliFlags {
  readonly output?: string;
}

export function explainCommand(): Command {
  return cliCommand("explain")
    .description("why did this pod restart, or not?")
    .argument("<pod>", "pod/NAME")
    .option("-o, --output <format>", "json, yaml, or jsonpath=TEMPLATE")
    .addHelpText(
      "after",
      `
Examples:
  driftless explain pod/web-5d4f8c7b6-x7k2p
  driftless explain pod/web-5d4f8c7b6-x7k2p -n shop -o json

It says which change of configuration the pod was made for, how its containers
ended, what a change of each object that it uses would do and which annotation
says so, how it was last told, and which annotations are not understood. For the
fields of a kind, as kubectl explain shows them, use kubectl.`,
    )
    .action(runExplain);
}

async function runExplain(target: string, flags: ExplainFlags): Promise<void> {
  await runCli(flags, async (context) =>
    explain(context, { target, format: parseOutputFormat(flags.output), look: terminalLook() }),
  );
}
