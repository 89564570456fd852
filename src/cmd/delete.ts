// `driftless delete`

import { type Command, Option } from "commander";
import type { DryRun } from "../cli/apply.ts";
import { misuse } from "../cli/cli-error.ts";
import { deleteObjects } from "../cli/delete.ts";
import {
  type CliFlags,
  cliCommand,
  collected,
  dryRunOption,
  runCli,
  switchOption,
  wholeNumber,
} from "./cli-session.ts";
import { parseDuration } from "./duration.ts";

interface DeleteFlags extends CliFlags {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly cascade: "background" | "foreground" | "orphan";
  readonly gracePeriod?: number;
  readonly now?: boolean;
  readonly force?: boolean;
  readonly wait: boolean;
  readonly timeout?: string;
  readonly ignoreNotFound?: boolean;
  readonly dryRun: DryRun;
  readonly output?: string;
}

export function deleteCommand(): Command {
  const cascade = new Option("--cascade <how>", "what becomes of what they own")
    .choices(["background", "foreground", "orphan"])
    .default("background");
  return cliCommand("delete")
    .description("delete objects, and wait until they are gone")
    .argument("[what...]", "KIND NAME…, or KIND/NAME…")
    .option(
      "-f, --filename <file>",
      "what is in a file, a directory, or - (repeat it for more)",
      collected,
      [],
    )
    .option("-R, --recursive", "with the directories in directories")
    .option("-l, --selector <labels>", "those with these labels")
    .option("--field-selector <fields>", "those with these fields")
    .option("--all", "all of the kind in the namespace")
    .option("-A, --all-namespaces", "of all namespaces")
    .addOption(cascade)
    .option("--grace-period <seconds>", "for pods to end (default: as they say)", wholeNumber)
    .option("--now", "the same as --grace-period=1")
    .option("--force", "do not wait for the node: what runs may go on running")
    .addOption(switchOption("--wait [bool]", "wait until they are gone", true))
    .option(
      "--timeout <duration>",
      "how long to wait, such as 30s or 5m (default: as long as it takes)",
    )
    .option("--ignore-not-found", "what is not there is no failure")
    .addOption(dryRunOption())
    .option("-o, --output <format>", "name, for nothing but names")
    .addHelpText(
      "after",
      `
Examples:
  driftless delete configmap hello
  driftless delete -f hello.yaml
  driftless delete pods -l app=web --now
  driftless delete deploy/web --cascade=orphan
  driftless delete configmaps --all -n test --wait=false`,
    )
    .action(runDelete);
}

async function runDelete(words: readonly string[], flags: DeleteFlags): Promise<void> {
  await runCli(flags, async (context) => {
    if (flags.now === true && flags.gracePeriod !== undefined) {
      throw misuse("--now and --grace-period cannot be specified together");
    }
    if (flags.output !== undefined && flags.output !== "name") {
      throw misuse(`unexpected -o output mode: ${flags.output}. We only support '-o name'`);
    }
    const grace = flags.now === true ? 1 : flags.gracePeriod;
    return deleteObjects(context, {
      words,
      filenames: flags.filename,
      isRecursive: flags.recursive === true,
      isAll: flags.all === true,
      isAllNamespaces: flags.allNamespaces === true,
      labelSelector: flags.selector,
      fieldSelector: flags.fieldSelector,
      cascade: flags.cascade,
      gracePeriodSeconds: grace === undefined || grace < 0 ? undefined : grace,
      isForced: flags.force === true,
      waits: flags.wait,
      timeoutMs: timeoutOf(flags.timeout),
      ignoresNotFound: flags.ignoreNotFound === true,
      dryRun: flags.dryRun,
      isNameOutput: flags.output === "name",
    });
  });
}

/** "0" is kubectl's word for as long as it takes. */
function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined || /^0s?$/.test(text)) return undefined;
  return parseDuration("--timeout", text);
}
