// mkdir -p that always ends. Node's own never does where the kernel says ENOENT although the parent is there, as in /proc; and where files go may be
// anybody's choice.

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isErrno } from "../../base/errors.ts";

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

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // What is wrong with it is told by whoever makes it.
  }
}
