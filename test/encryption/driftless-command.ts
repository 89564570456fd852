// The program as a child process that runs to its end.

import { execFile } from "node:child_process";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

export interface CommandOutcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export function driftless(...args: readonly string[]): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (err, output, errors) => {
      resolve({ code: err === null ? 0 : Number(err.code), output, errors });
    });
  });
}
