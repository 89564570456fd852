// The files that a log has been moved to: audit-2026-11-16T02-53-51.000.log beside audit.log. Their age is in their
// names, which copying does not change.

import { readdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";

const STAMP = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}$/;

export function backupName(path: string, atMs: number): string {
  const { prefix, suffix } = partsOf(path);
  const stamp = new Date(atMs).toISOString().slice(0, -1).replaceAll(":", "-");
  return join(dirname(path), `${prefix}${stamp}${suffix}`);
}

export interface BackupLimits {
  /** 0 for any number. */
  readonly maxBackups: number;
  /** 0 for any age. */
  readonly maxAgeMs: number;
  readonly nowMs: number;
}

/** Those that are too many or too old, oldest first. Other files are not touched, whatever they are called. */
export async function backupsToRemove(
  path: string,
  { maxBackups, maxAgeMs, nowMs }: BackupLimits,
): Promise<readonly string[]> {
  const directory = dirname(path);
  const names = await readdir(directory);
  const stamped = names
    .map((name) => ({ name, stamp: stampOf(path, name) }))
    .filter(({ stamp }) => STAMP.test(stamp))
    .toSorted((a, b) => (a.stamp < b.stamp ? -1 : 1));
  const tooMany = maxBackups === 0 ? 0 : Math.max(0, stamped.length - maxBackups);
  const isOld = (stamp: string): boolean => maxAgeMs > 0 && nowMs - timeOf(stamp) > maxAgeMs;
  return stamped
    .filter(({ stamp }, i) => i < tooMany || isOld(stamp))
    .map(({ name }) => join(directory, name));
}

function partsOf(path: string): { readonly prefix: string; readonly suffix: string } {
  const suffix = extname(path);
  return { prefix: `${basename(path, suffix)}-`, suffix };
}

/** What stands where the stamp should be; "" if it is not a name of ours. */
function stampOf(path: string, name: string): string {
  const { prefix, suffix } = partsOf(path);
  if (!name.startsWith(prefix) || !name.endsWith(suffix)) return "";
  return name.slice(prefix.length, name.length - suffix.length);
}

function timeOf(stamp: string): number {
  const [day = "", time = ""] = stamp.split("T");
  return Date.parse(`${day}T${time.replaceAll("-", ":")}Z`);
}
