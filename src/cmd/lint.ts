// `driftless lint`

import { text as readText } from "node:stream/consumers";
import { Command } from "commander";
import { type Linted, lint } from "../audit/lint.ts";
import { exitCodeOf } from "../audit/reports/report.ts";
import { ruleListJson, ruleListText } from "../audit/reports/rule-list.ts";
import { MisuseError } from "./misuse-error.ts";
import { isWanted, type ReportFlags, reportText, withReportFlags } from "./report-flags.ts";

interface LintFlags extends ReportFlags {
  readonly rules?: boolean;
  readonly fix?: boolean;
  readonly strict?: boolean;
}

export function lintCommand(): Command {
  return withReportFlags(new Command("lint"))
    .description("find what in manifests will not reload, or surprise")
    .argument("[files...]", "files, directories, or - for the standard input")
    .option("--fix", "rewrite what is safe, and say what was done")
    .option("--strict", "what is referred to has to be in the input")
    .option("--rules", "list all rules, and look at nothing")
    .addHelpText(
      "after",
      `
Examples:
  driftless lint deploy/
  kustomize build overlays/prod | driftless lint -
  helm template ./chart | driftless lint - --strict
  driftless lint deploy/ --fix
  driftless lint deploy/ -o sarif > lint.sarif
  driftless lint deploy/ --ignore DL106 --fail-on error

All input is judged together: a key is looked for in the ConfigMaps of every
file. A rule is switched off for a line by "# driftless-lint-disable-line
DL101", for an object by the annotation driftless.dev/lint-ignore: DL101.
Ends with 0 if nothing was found (notes do not count), 1 if something was, 2 if
a file cannot be read.`,
    )
    .action(runLint);
}

async function runLint(names: readonly string[], flags: LintFlags): Promise<void> {
  process.stdout.on("error", () => process.exit(process.exitCode ?? 0));
  if (flags.rules === true) {
    process.stdout.write(flags.output === "text" ? ruleListText() : ruleListJson());
    return;
  }
  if (names.length === 0) throw new MisuseError("Say which files, or - for the standard input");
  const isPiped = names.includes("-");
  if (isPiped && flags.fix === true) {
    throw new MisuseError("--fix needs files: what comes from the standard input has no place");
  }
  const linted = lint({
    names,
    isStrict: flags.strict === true,
    isFixing: flags.fix === true,
    isWanted: isWanted(flags),
    ...(isPiped && { stdin: await readText(process.stdin) }),
  });
  show(linted, flags);
}

function show({ report, problems, fixed }: Linted, flags: LintFlags): void {
  for (const line of fixed) process.stderr.write(`fixed ${line}\n`);
  // That nothing was found in nothing is no news beside why there is nothing.
  const isEmpty = report.looked.count === 0 && problems.length > 0;
  if (!isEmpty || flags.output !== "text") {
    process.stdout.write(reportText(report, flags, process.stdout.isTTY));
  }
  for (const problem of problems) process.stderr.write(`error: ${problem}\n`);
  process.exitCode = problems.length > 0 ? 2 : exitCodeOf(report, flags.failOn);
}
