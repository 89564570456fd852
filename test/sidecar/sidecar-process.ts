// A real `driftless sidecar` with a directory of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const program = join(import.meta.dirname, "../../src/cmd/driftless.ts");
const PATIENCE_MS = 60_000;

export class SidecarScene implements AsyncDisposable {
  readonly path: string = mkdtempSync(join(tmpdir(), "driftless-sidecar-"));
  readonly #children: ChildProcess[] = [];
  log = "";

  constructor() {
    mkdirSync(this.join("in"));
    // Compiled code is shared with everybody else: to compile it for each scene costs more than the tests.
    mkdirSync(join(homedir(), ".cache"), { recursive: true });
    symlinkSync(join(homedir(), ".cache"), this.join(".cache"));
  }

  join(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** As an editor that knows what it does. */
  write(name: string, text: string): void {
    writeFileSync(this.join(`${name}.tmp~`), text);
    renameSync(this.join(`${name}.tmp~`), this.join(name));
  }

  read(name: string): string | undefined {
    try {
      return readFileSync(this.join(name), "utf8");
    } catch {
      return undefined;
    }
  }

  /** Starts one with this compose file; what it logs is in `log`. */
  start(compose: object, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const [command = "", ...argv] = this.argv(compose, flags);
    const child = spawn(command, argv, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: this.path, ...env },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (bytes: Buffer) => (this.log += bytes.toString()));
    }
    this.#children.push(child);
    return child;
  }

  /** What `start` starts. */
  argv(compose: object, flags: readonly string[] = []): readonly string[] {
    this.write("compose.yaml", JSON.stringify(compose));
    return [process.execPath, program, "sidecar", "-f", this.join("compose.yaml"), ...flags];
  }

  async kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    child.kill(signal);
    await ended(child);
  }

  /** Keeps another process, to end with the scene. */
  keep(child: ChildProcess): ChildProcess {
    this.#children.push(child);
    return child;
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    for (const endMs = performance.now() + PATIENCE_MS; !isSo(); await sleep(10)) {
      if (performance.now() > endMs) throw new Error(`never: ${what}\n${this.log}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) await this.kill(child);
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Its exit code, once all that it said was read: what it says last comes after its end. */
export async function ended(child: ChildProcess): Promise<number | null> {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  const isRead = [child.stdout, child.stderr].every((stream) => stream?.closed ?? true);
  if (!hasEnded || !isRead) await once(child, "close");
  return child.exitCode;
}
