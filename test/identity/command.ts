// The program, run to its end.

import { spawn } from "node:child_process";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function driftless(...flags: readonly string[]): Promise<Ended> {
  return run(process.execPath, [program, ...flags]);
}

export function run(file: string, flags: readonly string[], cwd?: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, flags, { stdio: ["ignore", "pipe", "pipe"], cwd });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}
