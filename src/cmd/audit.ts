// `driftless audit`

import type { Command } from "commander";
import { audit } from "../audit/cluster/audit.ts";
import { exitCodeOf } from "../audit/reports/report.ts";
import type { CliContext } from "../cli/cli-context.ts";
import { misuse } from "../cli/cli-error.ts";
import { Progress } from "../cli/progress.ts";
import { type CliFlags, cliCommand, runCli } from "./cli-session.ts";
import { isWanted, type ReportFlags, reportText, withReportFlags } from "./report-flags.ts";

interface AuditFlags extends CliFlags, ReportFlags {
  readonly allNamespaces?: boolean;
}

export function auditCommand(): Command {
  return withReportFlags(cliCommand("audit"))
    .description("find what in a cluster does not reload, and what has drifted")
    .option("-A, --all-namespaces", "of all namespaces")
    .addHelpText(
      "after",
      `
Examples:
  driftless audit
  driftless audit -A -o sarif > audit.sarif
  driftless audit --kubeconfig ~/.kube/config --context prod -n shop
  driftless audit -A --rule DL601,DL602,DL603,DL604,DL605

Works on any Kubernetes, and only reads: pods, workloads and ConfigMaps, and of
Secrets their metadata, never their contents. What may not be listed is said
and left out. Ends with 0 if nothing was found (notes do not count), and with 1
if something was, if nothing at all may be listed, or if the server cannot be
reached.`,
    )
    .action(runAudit);
}

async function runAudit(flags: AuditFlags): Promise<void> {
  await runCli(flags, async (context) => {
    if (flags.allNamespaces === true && flags.namespace !== undefined) {
      throw misuse("-n and -A exclude each other: say one of them");
    }
    const report = await audited(context, flags);
    context.streams.stdout.write(reportText(report, flags, process.stdout.isTTY));
    // Whoever may see nothing has not found that all is well.
    const isBlind = report.looked.count === 0 && report.gaps.length > 0;
    return isBlind ? 1 : exitCodeOf(report, flags.failOn);
  });
}

async function audited(context: CliContext, flags: AuditFlags): ReturnType<typeof audit> {
  const { client, clock, signal } = context;
  using _progress = new Progress(context).show("Looking at the cluster");
  return await audit({
    ...{ client, signal, isWanted: isWanted(flags), nowMs: clock.now() },
    namespace: flags.allNamespaces === true ? undefined : context.namespace,
  });
}
