// One agent per data directory. The kernel takes the lock back when its holder ends, however it ends.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isErrno } from "../base/errors.ts";
import { lockFile } from "../runtime/file-lock.ts";

/** Another agent has the directory. */
export class LockedError extends Error {
  override readonly name = "LockedError";
  /** Undefined if it has not said so yet. */
  readonly pid: number | undefined;

  constructor(file: string, pid: number | undefined, what = "an agent") {
    const who = pid === undefined ? "" : ` (pid ${pid})`;
    super(`Cannot use ${dirname(dirname(file))}: ${what} runs on it${who}. Stop that one first`);
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

/** What the file says may be of a former holder, whose number somebody else has by now: only who has the file open can hold it. */
function holderOf(file: string): number | undefined {
  const text = readFileSync(file, "utf8");
  return /^\d+$/.test(text) && hasOpen(text, file) ? Number(text) : undefined;
}

function hasOpen(pid: string, file: string): boolean {
  const { dev, ino } = statSync(file);
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const found = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      return found?.dev === dev && found.ino === ino;
    });
  } catch {
    return false; // It is gone, or not ours to look at: then it is not ours to ask anything of.
  }
}
