// How a program ended, as the number that a shell would show.

import { constants } from "node:os";
import type { ExitStatus } from "./child.ts";

/** 128 and the signal's number if a signal ended it. */
export function exitCodeOf({ code, signal }: ExitStatus): number {
  if (code !== null) return code;
  return signal === null ? 1 : 128 + constants.signals[signal];
}
