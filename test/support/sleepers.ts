// Programs that do nothing but sleep, known by how long: for tests that wait until one has begun, or that none is left.

import { readdirSync, readFileSync } from "node:fs";

/** Processes of this machine that sleep for as long. */
export function sleepers(seconds: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
    } catch {
      return false; // No process, or none any more.
    }
  });
}
