// `driftless get`

import type { Command } from "commander";
import { get } from "../cli/get.ts";
import { parseOutputFormat } from "../cli/output-format.ts";
import { type CliFlags, cliCommand, collected, runCli } from "./cli-session.ts";

interface GetFlags extends CliFlags {
  readonly allNamespaces?: boolean;
  readonly output?: string;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly watch?: boolean;
  readonly watchOnly?: boolean;
  /** False: --no-headers. */
  readonly headers: boolean;
  readonly showLabels?: boolean;
  readonly labelColumns: readonly string[];
  readonly showManagedFields?: boolean;
  readonly ignoreNotFound?: boolean;
  readonly sortBy?: string;
}

export function getCommand(): Command {
  return cliCommand("get")
    .description("show objects")
    .argument("[what...]", "KIND[,KIND…] [NAME…], or KIND/NAME…; all for what runs")
    .option("-A, --all-namespaces", "of all namespaces")
    .option("-o, --output <format>", "wide, json, yaml, name, or jsonpath=TEMPLATE")
    .option("-l, --selector <labels>", "only those with these labels, such as app=web,tier!=db")
    .option(
      "--field-selector <fields>",
      "only those with these fields, such as status.phase=Running",
    )
    .option("-w, --watch", "then every change, until Ctrl-C")
    .option("--watch-only", "every change, without what there is")
    .option("--no-headers", "tables without a first line")
    .option("--show-labels", "a column with all labels")
    .option("-L, --label-columns <labels>", "columns for these labels", commaList, [])
    .option("--show-managed-fields", "with who owns which field, in json and yaml")
    .option("--ignore-not-found", "say nothing of what is not there")
    .option("--sort-by <path>", "in the order of a field, such as .metadata.creationTimestamp")
    .addHelpText(
      "after",
      `
Examples:
  driftless get pods
  driftless get all -A
  driftless get configmap hello -o yaml
  driftless get deploy/web cm/web-config
  driftless get pods -l app=web -o wide --watch
  driftless get pods -o jsonpath='{range .items[*]}{.metadata.name} {.status.phase}{"\\n"}{end}'`,
    )
    .action(runGet);
}

function commaList(value: string, all: readonly string[]): readonly string[] {
  return value.split(",").reduce(addOne, all);
}

function addOne(all: readonly string[], one: string): readonly string[] {
  return collected(one, all);
}

async function runGet(words: readonly string[], flags: GetFlags): Promise<void> {
  await runCli(flags, (context) =>
    get(context, {
      words,
      format: parseOutputFormat(flags.output),
      isAllNamespaces: flags.allNamespaces === true,
      labelSelector: flags.selector,
      fieldSelector: flags.fieldSelector,
      watch: flags.watchOnly === true ? "only" : flags.watch === true ? "too" : undefined,
      hasHeaders: flags.headers,
      hasLabels: flags.showLabels === true,
      labelColumns: flags.labelColumns,
      showsManagedFields: flags.showManagedFields === true,
      ignoresNotFound: flags.ignoreNotFound === true,
      sortBy: flags.sortBy,
    }),
  );
}
