// The file `..version` in a version's directory: what the version contains, and who wrote it.
//
//   sha256:<content hash>
//   boot:<boot id>
//   writer:<process id>.<start time>
//
// It is written last: a directory with a record is a whole version.

import { readFileSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { VERSION_FILE } from "./layout.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** What a damaged or tampered version answers; not a lack of file descriptors or memory. */
export const UNREADABLE: readonly string[] = [
  "ENOENT",
  "ENOTDIR",
  "EISDIR",
  "ELOOP",
  "EACCES",
  "EPERM",
  "EIO",
  "ESTALE",
];

export interface VersionRecord {
  /** Content hash, 64 hex digits. */
  readonly version: string;
  /** Contents that were not synced may be gone after another boot. */
  readonly writer: ProcessIdentity;
}

export function formatVersionRecord({ version, writer }: VersionRecord): string {
  return `sha256:${version}\nboot:${writer.bootId}\nwriter:${writer.pid}.${writer.startTicks}\n`;
}

function parseVersionRecord(text: string): VersionRecord | undefined {
  const match = /^sha256:([0-9a-f]{64})\nboot:([0-9a-f-]*)\nwriter:(\d+)\.(\d+)\n$/.exec(text);
  if (match === null) return undefined;
  const [, version = "", bootId = "", pid, startTicks] = match;
  return { version, writer: { bootId, pid: Number(pid), startTicks: Number(startTicks) } };
}

/** The record of the version in `root`. Undefined when it has none, or none that makes sense. */
export function readVersionRecord(root: string): VersionRecord | undefined {
  try {
    // Without an encoding: with one, Node ends the whole process when the close fails.
    return parseVersionRecord(readFileSync(`${root}/${VERSION_FILE}`).toString());
  } catch (err) {
    if (isErrno(err, ...UNREADABLE)) return undefined;
    throw err;
  }
}
