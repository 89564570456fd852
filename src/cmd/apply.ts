// `driftless apply`

import type { Command } from "commander";
import { apply, type DryRun } from "../cli/apply.ts";
import { parseOutputFormat } from "../cli/output-format.ts";
import { type CliFlags, cliCommand, collected, dryRunOption, runCli } from "./cli-session.ts";

interface ApplyFlags extends CliFlags {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly forceConflicts?: boolean;
  readonly fieldManager: string;
  readonly dryRun: DryRun;
  readonly output?: string;
}

export function applyCommand(): Command {
  return cliCommand("apply")
    .description("make objects as files say")
    .option(
      "-f, --filename <file>",
      "a file, a directory, or - (repeat it for more)",
      collected,
      [],
    )
    .option("-R, --recursive", "with the directories in directories")
    .option("--force-conflicts", "take over fields that belong to others")
    .option("--field-manager <name>", "who owns the fields", "driftless")
    .addOption(dryRunOption())
    .option("-o, --output <format>", "what it became: json, yaml or name")
    .addHelpText(
      "after",
      `
Examples:
  driftless apply -f hello.yaml
  driftless apply -f config/ -R -n production
  kustomize build overlays/prod | driftless apply -f -
  driftless apply -f hello.yaml --dry-run=server

It is a server-side apply: what the file says is yours, what it no longer says
goes, and the rest stays as others have it. Objects that "kubectl apply" made
before are taken over. It goes on after a failure, and ends with 1 then.`,
    )
    .action(runApply);
}

async function runApply(flags: ApplyFlags): Promise<void> {
  await runCli(flags, (context) =>
    apply(context, {
      filenames: flags.filename,
      isRecursive: flags.recursive === true,
      forcesConflicts: flags.forceConflicts === true,
      fieldManager: flags.fieldManager,
      dryRun: flags.dryRun,
      format: parseOutputFormat(flags.output),
    }),
  );
}
