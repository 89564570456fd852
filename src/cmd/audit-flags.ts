// The flags of the audit log, by their names in Kubernetes, and the log that they ask for.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { AuditPolicy } from "../apiserver/audit/audit-policy.ts";
import { AuditWriter } from "../apiserver/audit/audit-writer.ts";
import { defaultPolicy } from "../apiserver/audit/default-policy.ts";
import { LogFile } from "../apiserver/audit/log-file.ts";
import { AuditPolicyError, parsePolicy } from "../apiserver/audit/parse-policy.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import { MisuseError } from "./misuse-error.ts";

export interface AuditFlags {
  readonly dataDir: string;
  readonly auditLogPath?: string;
  readonly auditPolicyFile?: string;
  readonly auditLogMaxsize: string;
  readonly auditLogMaxbackup: string;
  readonly auditLogMaxage: string;
  readonly auditLogRotateAfter: string;
}

/** What may wait for a disk: some ten thousand events. */
const MAX_WAITING = 16 * 2 ** 20;
const MIB = 2 ** 20;
const HOUR_MS = 3_600_000;

export function auditOptions(command: Command): Command {
  return command
    .option(
      "--audit-log-path <file>",
      'the audit log, "none" for none; audit/audit.log in the data directory without it',
    )
    .option(
      "--audit-policy-file <file>",
      "what is audited (audit.k8s.io/v1 Policy); writes and secrets without it",
    )
    .option("--audit-log-maxsize <mebibytes>", "move the log aside at this size", "100")
    .option(
      "--audit-log-maxbackup <number>",
      "keep so many that were moved aside; 0 keeps all",
      "10",
    )
    .option("--audit-log-maxage <days>", "and for so long; 0 for ever", "0")
    .option("--audit-log-rotate-after <hours>", "move the log aside at this age; 0 never", "0");
}

export interface AuditTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export function auditOf(
  flags: AuditFlags,
  { clock, logger, metrics }: AuditTools,
): { readonly policy: AuditPolicy; readonly writer: AuditWriter } | undefined {
  const { dataDir, auditPolicyFile } = flags;
  const path = flags.auditLogPath ?? join(dataDir, "audit", "audit.log");
  if (path === "none") {
    if (auditPolicyFile === undefined) return undefined;
    throw new MisuseError("--audit-policy-file is of no use with --audit-log-path none");
  }
  const file = new LogFile({
    path,
    maxBytes: MIB * Math.max(1, count("--audit-log-maxsize", flags.auditLogMaxsize)),
    maxAgeMs: HOUR_MS * count("--audit-log-rotate-after", flags.auditLogRotateAfter),
    maxBackups: count("--audit-log-maxbackup", flags.auditLogMaxbackup),
    maxBackupAgeMs: 24 * HOUR_MS * count("--audit-log-maxage", flags.auditLogMaxage),
    clock,
    logger,
  });
  const writer = new AuditWriter({ file, maxWaiting: MAX_WAITING, clock, logger, metrics });
  return { policy: policyOf(auditPolicyFile), writer };
}

function policyOf(file: string | undefined): AuditPolicy {
  if (file === undefined) return defaultPolicy;
  try {
    return parsePolicy(readFileSync(file, "utf8"), file);
  } catch (err) {
    if (err instanceof AuditPolicyError) throw new MisuseError(err.message, { cause: err });
    throw err;
  }
}

function count(flag: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new MisuseError(`${flag} ${text}: must be a whole number`);
}
