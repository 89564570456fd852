// Who is left of a process group. The dead count for the kernel until somebody has waited for them; where nobody does, they would be waited for in vain.

import { readdirSync, readFileSync } from "node:fs";
import { isErrno } from "../base/errors.ts";

/** Whether there was anybody to get it. 0: nothing is sent. */
export function sendGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (err) {
    // Nobody is left, or somebody with other rights than ours, whom we cannot end.
    if (isErrno(err, "ESRCH", "EPERM")) return false;
    throw err;
  }
}

export function groupLives(group: number): boolean {
  return sendGroup(group, 0) && readdirSync("/proc").some((name) => isLivingMember(name, group));
}

function isLivingMember(name: string, group: number): boolean {
  if (!/^\d+$/.test(name)) return false;
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "latin1");
    // The command, in parentheses, may contain anything: fields are counted from its end.
    const [state = "", , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(of) === group && !/[ZX]/.test(state);
  } catch {
    return false; // It has ended meanwhile.
  }
}
