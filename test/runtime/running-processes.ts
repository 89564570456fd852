// What runs on this machine, for tests that leave nothing behind.

import { readdirSync, readFileSync } from "node:fs";
import { systemClock } from "../../src/base/clock.ts";

/** Numbers of processes whose command line has this in it; arguments are separated by a null character. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Settles when there are as many as that. */
export async function processCount(text: string, count: number): Promise<readonly number[]> {
  for (;;) {
    const found = processesWith(text);
    if (found.length === count) return found;
    await systemClock.sleep(5);
  }
}

/** Settles when the process is this program: a shell that is to become it has still to do so. */
export async function hasBecome(pid: number | undefined, argv: readonly string[]): Promise<void> {
  const wanted = argv.map((word) => `${word}\0`).join("");
  while (readFileSync(`/proc/${pid}/cmdline`, "utf8") !== wanted) await systemClock.sleep(5);
}

let marks = 0;

/** A time to sleep that nobody else sleeps: "sleep\0<mark>" finds who does. */
export function sleepMark(): string {
  marks += 1;
  return `9${process.pid}.${marks}`;
}
