// The last steps of a launcher, whatever it launches: a process as a new program expects it to be.

import {
  closeOnExecFrom,
  dup2,
  limitOpenFiles,
  resetSignals,
  umask,
} from "../../mounts/process-calls.ts";

// What systemd gives: programs that need more raise it themselves, old ones that use select() break with more.
const openFilesLimit = 1024;

/** Descriptors that are 0, 1 and 2 of the program. */
export interface ProgramStreams {
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
}

/** Signals, limits, umask and descriptors are Node's until now. */
export function prepareProcess({ stdin, stdout, stderr }: ProgramStreams): void {
  dup2(stdin, 0);
  dup2(stdout, 1);
  dup2(stderr, 2);
  closeOnExecFrom(3);
  limitOpenFiles(openFilesLimit);
  resetSignals();
  umask(0o022);
}

/** The last one counts, as for a shell. */
export function searchPathOf(env: readonly string[]): string {
  return env.findLast((entry) => entry.startsWith("PATH="))?.slice("PATH=".length) ?? "";
}
