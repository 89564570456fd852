// One agent per data directory. The kernel takes the lock back when its holder ends, however it ends.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isErrno } from "../base/errors.ts";
import { lockFile } from "../runtime/file-lock.ts";

/** Another agent has the directory. */
export class LockedError extends Error {
  override readonly name = "LockedError";
  /** Undefined if it has not said so yet. */
  readonly pid: number | undefined;

  constructor(file: string, pid: number | undefined) {
    const who = pid === undefined ? "" : ` (pid ${pid})`;
    super(`Cannot use ${dirname(dirname(file))}: an agent runs on it${who}. Stop that one first`);
    this.pid = pid;
  }
}

/** Throws LockedError. Given back by disposing it. */
export function lockAgent(file: string, pid: number): Disposable {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = lockFile(file);
  if (lock === undefined) throw new LockedError(file, holderOf(file));
  try {
    writeFileSync(file, String(pid));
  } catch (err) {
    // On a full disk the agent runs all the same; only who it is cannot be told.
    if (!isErrno(err, "ENOSPC", "EDQUOT", "EROFS")) throw err;
  }
  return lock;
}

function holderOf(file: string): number | undefined {
  const text = readFileSync(file, "utf8");
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
