// Which process wrote something, in a form that outlives it: process ids come back, but not with the
// same start time in the same boot. Processes are seen only in our own PID namespace: writers in two
// containers must be kept apart by whoever starts them.

import { readFileSync } from "node:fs";

/** Linux reports process times in hundredths of a second to user space, on every architecture. */
const TICKS_PER_SECOND = 100;
/** Start times are rounded to a tick, file times to a kernel tick of up to 10 ms. */
const ROUNDING_MS = 20;

export interface ProcessIdentity {
  readonly bootId: string;
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks from the boot to the start of the process. */
  readonly startTicks: number;
}

/** This process. Reads /proc: ask once and pass it on. */
export function currentProcess(): ProcessIdentity {
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id").toString().trim();
  return { bootId, pid: process.pid, startTicks: startTicksOf(process.pid) ?? 0 };
}

/** Whether `writer` is a process other than `self` that is still running. */
export function isAnotherLiving(writer: ProcessIdentity, self: ProcessIdentity): boolean {
  if (writer.bootId !== self.bootId) return false;
  if (writer.pid === self.pid && writer.startTicks === self.startTicks) return false;
  return startTicksOf(writer.pid) === writer.startTicks;
}

/**
 * Whether a process other than `self` has this id and was already running `agoMs` ago: for what carries no
 * more than a process id. A clock that was set meanwhile can make it wrong.
 */
export function wasRunning(pid: number, agoMs: number, self: ProcessIdentity): boolean {
  const startTicks = pid === self.pid ? undefined : startTicksOf(pid);
  if (startTicks === undefined) return false;
  const uptimeSeconds = Number(readFileSync("/proc/uptime").toString().split(" ")[0]);
  const ageMs = (uptimeSeconds - startTicks / TICKS_PER_SECOND) * 1000;
  return ageMs + ROUNDING_MS >= agoMs;
}

/** Undefined for a process that is gone, or dead and waiting for its parent to notice. */
function startTicksOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`).toString();
    // The command, in parentheses, may contain anything: fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const dead = fields[0] === "Z" || fields[0] === "X";
    return dead ? undefined : Number(fields[19]);
  } catch {
    return undefined; // No such process.
  }
}
