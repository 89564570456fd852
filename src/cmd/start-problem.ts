// What a start failed of, in words that say what to do.

import { isErrno } from "../base/errors.ts";
import { PartError } from "../base/run-group.ts";
import { DatabaseRefusedError } from "../storage/sqlite/database-refused-error.ts";

export interface StartFlags {
  readonly dataDir: string;
  readonly listen: string;
}

/** The error itself if there is nothing to add to it. */
export function startProblem(err: unknown, { dataDir, listen }: StartFlags): unknown {
  const cause = err instanceof PartError ? err.cause : err;
  const told = (message: string): Error => new Error(message, { cause });
  if (isErrno(cause, "EADDRINUSE")) {
    return told(
      `Cannot listen on ${listen}: another program does. Stop that one, or choose another port: --listen ${otherPort(listen)}`,
    );
  }
  if (isErrno(cause, "EADDRNOTAVAIL", "ENOTFOUND")) {
    return told(`Cannot listen on ${listen}: this machine does not have that address`);
  }
  if (isErrno(cause, "EACCES") && cause.syscall === "listen") {
    return told(`Cannot listen on ${listen}: ports below 1024 are root's. Choose a higher one`);
  }
  // Of a read-only disk, making a directory with its parents says that it is not there.
  const isNotMade = isErrno(cause, "ENOENT") && cause.syscall === "mkdir";
  if (isNotMade || isErrno(cause, "EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST")) {
    return told(
      `Cannot write to the data directory ${dataDir}: choose another one with --data-dir, or make it yours`,
    );
  }
  if (isErrno(cause, "ENOSPC", "EDQUOT")) {
    return told(`Cannot write to the data directory ${dataDir}: the disk is full. Free some space`);
  }
  // It says all that there is to say.
  return cause instanceof DatabaseRefusedError ? cause : err;
}

function otherPort(listen: string): string {
  return listen.replace(/\d+$/, (port) =>
    String(Number(port) + (Number(port) < 64_000 ? 1000 : -1000)),
  );
}
