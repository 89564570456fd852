// One `driftless sidecar` or `driftless run`, as a process, with a directory of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ShippedProgram } from "./shipped-program.ts";

export interface BesideOptions {
  readonly program: ShippedProgram;
  /** What follows "driftless". */
  readonly argv: readonly string[];
  readonly kubeconfig?: string;
}

const PATIENCE_MS = 60_000;
const LOOK_MS = 20;
const LOG_LENGTH = 20_000;

export class Beside implements AsyncDisposable {
  readonly #process: ChildProcess;
  #log = "";

  constructor({ program, argv, kubeconfig }: BesideOptions) {
    this.#process = spawn(process.execPath, [program.path, ...argv], {
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        ...{ PATH: process.env["PATH"], HOME: program.home },
        ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
      },
    });
    this.#process.stderr?.on("data", (bytes: Buffer) => {
      this.#log = (this.#log + bytes.toString()).slice(-LOG_LENGTH);
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    for (const endMs = performance.now() + PATIENCE_MS; !isSo(); await sleep(LOOK_MS)) {
      if (this.#process.exitCode !== null || performance.now() > endMs) {
        throw new Error(`${what}: never, with ${this.#process.exitCode}\n${this.#log}`);
      }
    }
  }

  /** Until it ends by itself. Throws if it fails. */
  async end(): Promise<void> {
    if (this.#process.exitCode === null) await once(this.#process, "exit");
    if (this.#process.exitCode !== 0) throw new Error(`the program failed: ${this.#log}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    await exited;
  }
}

/** For sources, outputs and compose files. */
export class Place implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), "driftless-bench-sidecar-"));

  join(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** The arguments for a sidecar that does this. YAML is a superset of JSON. */
  compose(compose: object): readonly string[] {
    const file = this.join("compose.yaml");
    writeFileSync(file, JSON.stringify(compose));
    return ["sidecar", "-f", file];
  }

  read(...names: readonly string[]): string | undefined {
    try {
      return readFileSync(this.join(...names), "utf8");
    } catch {
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
