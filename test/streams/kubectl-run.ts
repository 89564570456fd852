// kubectl as a child process, with its own home.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";

export interface KubectlOptions {
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface KubectlResult {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Killed, if it still runs, when it is disposed. */
export class KubectlRun implements Disposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #home: TempDir = tempDir();

  constructor(options: KubectlOptions, args: readonly string[]) {
    this.child = spawn(options.kubectl, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...process.env,
        HOME: this.#home.path,
        KUBECONFIG: options.kubeconfig,
        ...options.env,
      },
    });
    // It may leave before it has read everything.
    this.child.stdin.on("error", () => undefined);
  }

  async result(): Promise<KubectlResult> {
    const { child } = this;
    const [stdout, stderr] = await Promise.all([
      buffer(child.stdout),
      buffer(child.stderr),
      child.exitCode === null && child.signalCode === null ? once(child, "close") : undefined,
    ]);
    return { code: child.exitCode, stdout, stderr: stderr.toString() };
  }

  [Symbol.dispose](): void {
    this.child.kill("SIGKILL");
    this.#home[Symbol.dispose]();
  }
}

/** Runs it to its end, with `input` as all of its standard input. */
export async function runKubectl(
  options: KubectlOptions,
  args: readonly string[],
  input = "",
): Promise<KubectlResult> {
  using run = new KubectlRun(options, args);
  run.child.stdin.end(input);
  return await run.result();
}
