// A program that could not be started, as one that has ended: with the codes that a shell has for that.

import type { ExitStatus } from "./child.ts";
import type { RunningChild } from "./program.ts";

export function neverStarted(err: unknown): RunningChild {
  const isThere = (err as NodeJS.ErrnoException).code !== "ENOENT";
  const status: ExitStatus = { code: isThere ? 126 : 127, signal: null };
  const ended = Promise.resolve(status);
  return { pid: 0, status, ended, send: () => false, stop: () => ended };
}
