// mkdir -p that always ends. Node's own never does where the kernel says ENOENT although the parent is there, as in /proc; and where files go may be
// anybody's choice.

import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, isErrno } from "../../base/errors.ts";

/** The directory is there when it returns, with those above it; those that had to be made have the mode, less the umask. */
export function ensureDirectory(path: string, mode = 0o777): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) ensureDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (err) {
    // Somebody else has made it meanwhile.
    if (!isErrno(err, "EEXIST") || !isDirectory(path)) throw err;
  }
}

/** Why nothing could be written there, as far as looking tells; the directory itself may be missing. */
export function obstacleTo(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  const parent = dirname(path);
  if (stats === undefined && parent !== path) return obstacleTo(parent);
  if (stats?.isDirectory() !== true) return `${path} is no directory`;
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (err) {
    return `cannot write in ${path}: ${describe(err)}`;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // What is wrong with it is told by whoever makes it.
  }
}
