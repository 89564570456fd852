// Which process wrote something, in a form that outlives it: process ids come back, but not with the
// same start time in the same boot. Processes are seen only in our own PID namespace: writers in two
// containers must be kept apart by whoever starts them.

import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly bootId: string;
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks from the boot to the start of the process. */
  readonly startTicks: number;
}

/** This process. Reads /proc: ask once and pass it on. */
export function currentProcess(): ProcessIdentity {
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return { bootId, pid: process.pid, startTicks: startTicksOf(process.pid) ?? 0 };
}

/** Whether `writer` is a process other than `self` that is still running. */
export function isAnotherLiving(writer: ProcessIdentity, self: ProcessIdentity): boolean {
  if (writer.bootId !== self.bootId) return false;
  if (writer.pid === self.pid && writer.startTicks === self.startTicks) return false;
  return startTicksOf(writer.pid) === writer.startTicks;
}

/** Undefined for a process that is gone, or dead and waiting for its parent to notice. */
function startTicksOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command, in parentheses, may contain anything: fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const dead = fields[0] === "Z" || fields[0] === "X";
    return dead ? undefined : Number(fields[19]);
  } catch {
    return undefined; // No such process.
  }
}
