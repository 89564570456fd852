// Files that are the old or the new one, whole, whatever happens: written beside their place, synced, and renamed over it.

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { isErrno } from "../../base/errors.ts";

export interface FileAccess {
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/** When it returns, the new file outlives a power cut. When it throws, the old one is there and nothing else. */
export function replaceFile(path: string, pieces: readonly Uint8Array[], access: FileAccess): void {
  const temporary = `${path}.new`;
  writeNew(temporary, pieces, access);
  try {
    renameSync(temporary, path);
  } catch (err) {
    rmSync(temporary, { force: true });
    throw err;
  }
  syncDirectory(dirname(path));
}

/** A synced file at a path that is nobody else's; what a crash left there is replaced. Nothing is left behind when it throws. */
export function writeNew(path: string, pieces: readonly Uint8Array[], access: FileAccess): void {
  const { mode, owner } = access;
  rmSync(path, { force: true });
  // O_EXCL: no link that somebody puts there meanwhile is followed.
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    for (const piece of pieces) writeAll(fd, piece);
    // Owner first: chown clears bits that chmod then sets.
    if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid);
    fchmodSync(fd, mode);
    fsyncSync(fd);
  } catch (err) {
    rmSync(path, { force: true });
    throw err;
  } finally {
    closeSync(fd);
  }
}

export function syncDirectory(path: string): void {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (err) {
    // One that may be written but not listed cannot be synced by us.
    if (isErrno(err, "EACCES")) return;
    throw err;
  }
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) done += writeSync(fd, data, done);
}
