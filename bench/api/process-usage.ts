// What a process has used so far, from /proc.

import { readFileSync } from "node:fs";

/** The kernel counts processor time for programs in hundredths of a second, on every machine that Node runs on. */
const TICK_MS = 10;

/** Of all its threads. */
export function cpuMs(pid: number): number {
  // The name in parentheses may contain anything; utime and stime are the 12th and 13th field behind it.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

export function rssMib(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1]) / 1024;
}
