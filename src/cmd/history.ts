// `driftless history`

import type { Command } from "commander";
import { history } from "../cli/history.ts";
import { parseOutputFormat } from "../cli/output-format.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";
import { terminalLook } from "./terminal-look.ts";

interface HistoryFlags extends CliFlags {
  readonly output?: string;
}

export function historyCommand(): Command {
  return cliCommand("history")
    .description("which contents a ConfigMap or Secret had, when, and by whom")
    .argument("<what>", "KIND/NAME, such as configmap/hello or secret/login")
    .option("-o, --output <format>", "wide, json, yaml, name, or jsonpath=TEMPLATE")
    .addHelpText(
      "after",
      `
Examples:
  driftless history configmap/hello
  driftless history secret/login -o wide
  kubectl get configrevisions -l driftless.dev/kind=ConfigMap,driftless.dev/name=hello

Changes are + for new keys, ~ for changed and - for removed ones. The revision
with the content of now has a *. What was in Secrets is never shown.`,
    )
    .action(runHistory);
}

async function runHistory(target: string, flags: HistoryFlags): Promise<void> {
  await runCli(flags, (context) => {
    const format = parseOutputFormat(flags.output);
    return history(context, { target, format, look: terminalLook() });
  });
}
