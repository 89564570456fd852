// `driftless diff`

import type { Command } from "commander";
import { diff } from "../cli/diff.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";
import { terminalLook } from "./terminal-look.ts";

export function diffCommand(): Command {
  return cliCommand("diff")
    .description("what changed in a ConfigMap or Secret, key by key")
    .argument("<what>", "KIND/NAME, such as configmap/hello or secret/login")
    .argument("[revisions...]", "none: the last change; one: from that to now; two: between them")
    .addHelpText(
      "after",
      `
Examples:
  driftless diff configmap/hello
  driftless diff configmap/hello 3
  driftless diff configmap/hello 3 5
  driftless diff configmap/hello a1b2c3d4e5

A revision is a number or the beginning of a hash: see driftless history. Of
Secrets it is only said which keys differ.
Ends with 0 if there is no difference, 1 if there is one, and 2 if it failed or
was called wrongly, as kubectl diff does.`,
    )
    .action(runDiff);
}

async function runDiff(
  target: string,
  revisions: readonly string[],
  flags: CliFlags,
): Promise<void> {
  let isAnswered = false;
  await runCli(flags, async (context) => {
    const code = await diff(context, { target, revisions, look: terminalLook() });
    isAnswered = true;
    return code;
  });
  // 1 is an answer here.
  if (!isAnswered) process.exitCode = 2;
}
