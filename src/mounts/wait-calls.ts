// Waiting for children that Node does not know: those that the kernel gave to the first process of a container when their own
// parent ended. Node waits only for what it has started itself; nobody else may take those away from it.

import { constants } from "node:os";
import { call } from "./libc.ts";

const P_ALL = 0;
const P_PID = 1;
const WNOHANG = 1;
const WEXITED = 4;
const WNOWAIT = 0x01000000;
/** siginfo_t: 128 bytes everywhere; the pid is the fifth number where pointers have 64 bits. */
const INFO_BYTES = 128;
const PID_INDEX = 4;

/** A child that has ended and was not waited for; it stays so. Undefined if there is none. */
export function endedChild(): number | undefined {
  return waitFor(P_ALL, 0, WNOWAIT);
}

/** Lets go of this child if it has ended. Only for those that Node has not started: it would never hear of the end. */
export function forgetChild(pid: number): boolean {
  return waitFor(P_PID, pid, 0) !== undefined;
}

function waitFor(idType: number, id: number, more: number): number | undefined {
  const info = new Int32Array(INFO_BYTES / Int32Array.BYTES_PER_ELEMENT);
  try {
    call(
      "int waitid(int type, unsigned int id, void *info, int options)",
      [idType, id, new Uint8Array(info.buffer), WEXITED | WNOHANG | more],
      { syscall: "waitid" },
    );
  } catch (err) {
    // There are no children at all. Node has no name for this number in its own errors.
    if ((err as NodeJS.ErrnoException).errno === -constants.errno.ECHILD) return undefined;
    throw err;
  }
  const pid = info[PID_INDEX] ?? 0;
  return pid === 0 ? undefined : pid;
}
