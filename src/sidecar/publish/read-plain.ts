// Reading where others can write, too: a pipe that somebody put there makes nobody wait, and a link is not followed.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { isErrno } from "../../base/errors.ts";

const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Undefined if it is something else than a plain file. Throws if there is nothing. */
export function readPlain(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, FLAGS);
  } catch (err) {
    // A link, or a socket.
    if (isErrno(err, "ELOOP", "ENXIO")) return undefined;
    throw err;
  }
  try {
    return fstatSync(descriptor).isFile() ? readFileSync(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}
