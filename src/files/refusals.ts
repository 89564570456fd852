// What a writer refuses before it touches anything, each with a message that says what to do.

import { lstatSync } from "node:fs";
import { basename } from "node:path";
import {
  creatorOf,
  DATA_LINK,
  DATA_LINK_PREVIOUS,
  DATA_LINK_TMP,
  isVersionDirectoryName,
} from "./layout.ts";
import type { Payload } from "./payload.ts";
import { isAnotherLiving, type ProcessIdentity, wasRunning } from "./process-identity.ts";
import { linkTarget, type Survey } from "./survey.ts";
import { readVersionRecord } from "./version-record.ts";
import { WriteError } from "./write-error.ts";

/** PATH_MAX without its NUL. */
const MAX_PATH_BYTES = 4095;
const VERSION_PATH_BYTES = "/..2026_08_20_18_59_46.4294967295/".length;

/** A path that is legal by itself may be too long for the kernel below a deep directory. */
export function refuseLongPaths(directory: string, payload: Payload): void {
  const room = MAX_PATH_BYTES - Buffer.byteLength(directory) - VERSION_PATH_BYTES;
  const long = payload.files.find(({ path }) => Buffer.byteLength(path) > room);
  if (long === undefined) return;
  throw new WriteError(
    { directory, path: long.path },
    `the path of ${Buffer.byteLength(long.path)} bytes is too long for the system below this directory; ${room} bytes are left`,
  );
}

export function refuseObstacles(directory: string, seen: Survey): void {
  const [obstacle] = seen.obstacles;
  if (obstacle === undefined) return;
  const what = obstacle === DATA_LINK ? "the link to the version" : "the key of that name";
  throw new WriteError(
    { directory, path: obstacle },
    `a directory is in the way of ${what}; it may be somebody's mount point, so remove it yourself`,
  );
}

/** Leftovers that are not left over: another process is at work on them. */
export function refuseLivingWriter(
  directory: string,
  seen: { readonly leftovers: readonly string[]; readonly current: string | undefined },
  now: { readonly self: ProcessIdentity; readonly nowMs: number },
): void {
  for (const name of seen.leftovers) {
    const version = versionBehind(directory, name, seen.current);
    const known = version !== undefined && isVersionDirectoryName(version);
    const pid = known ? livingWriter(`${directory}/${version}`, now) : undefined;
    if (pid === undefined) continue;
    throw new WriteError(
      { directory, path: name },
      `process ${pid} is writing this volume too; a volume has one writer, so stop one of them`,
    );
  }
}

/** The version whose writer would be at work on a leftover. */
function versionBehind(
  directory: string,
  name: string,
  current: string | undefined,
): string | undefined {
  if (name === DATA_LINK_TMP) return linkTarget(`${directory}/${name}`);
  // Between its commit and its links, a writer may still go back over `..data_prev`.
  return name === DATA_LINK_PREVIOUS ? current : name;
}

/** By its record; before there is one, by its name. */
function livingWriter(
  version: string,
  { self, nowMs }: { readonly self: ProcessIdentity; readonly nowMs: number },
): number | undefined {
  const made = lstatSync(version, { throwIfNoEntry: false });
  if (made === undefined) return undefined;
  const record = readVersionRecord(version);
  if (record !== undefined) {
    return isAnotherLiving(record.writer, self) ? record.writer.pid : undefined;
  }
  const pid = creatorOf(basename(version));
  const living = pid !== undefined && wasRunning(pid, nowMs - made.ctimeMs, self);
  return living ? pid : undefined;
}
