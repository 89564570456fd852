// `driftless set`

import type { Command } from "commander";
import { readKeyChanges } from "../cli/key-changes.ts";
import { set } from "../cli/set.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";

interface SetFlags extends CliFlags {
  readonly create?: boolean;
  readonly dryRun?: boolean;
}

export function setCommand(): Command {
  return cliCommand("set")
    .description("change keys of a ConfigMap or Secret")
    .argument("<what>", "KIND/NAME, such as configmap/hello or secret/login")
    .argument("[changes...]", "key=value, key=@file, or key- to remove one")
    .option("--create", "make the object if it is not there")
    .option("--dry-run", "change nothing, but let the server check it")
    .addHelpText(
      "after",
      `
Examples:
  driftless set configmap/hello text=moin
  driftless set configmap/web nginx.conf=@nginx.conf old.conf-
  driftless set secret/login password=@- < password.txt
  driftless set configmap/new a=1 b=2 --create

Other keys stay as they are, also if somebody changes them at the same time.
Values of Secrets are never shown. @- is the standard input, and @@text is the
text @text.`,
    )
    .action(runSet);
}

async function runSet(target: string, words: readonly string[], flags: SetFlags): Promise<void> {
  await runCli(flags, async (context) => {
    return set(context, {
      target,
      changes: await readKeyChanges(words, context.streams.stdin),
      creates: flags.create === true,
      isDryRun: flags.dryRun === true,
    });
  });
}
