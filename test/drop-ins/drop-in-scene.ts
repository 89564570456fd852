// Real `driftless sidecar` processes in the place of other programs, with a directory for all that they read and write. Everything goes when the scene is disposed.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const program: string = join(import.meta.dirname, "../../src/cmd/driftless.ts");
const compiled = join(import.meta.dirname, "../../node_modules/.cache/compiled");
/** For conditions that are sure to come: a busy machine is no fault. */
const PATIENCE_MS = 60_000;

type Environment = Readonly<Record<string, string>>;

interface ProgramOptions {
  /** What follows "driftless sidecar". */
  readonly argv?: readonly string[];
  readonly env?: Environment;
}

/** Waits until it is so; fails with what was waited for and `more()`. */
async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  more: () => string = () => "",
): Promise<void> {
  for (const endMs = performance.now() + PATIENCE_MS; !(await isSo()); await sleep(20)) {
    if (performance.now() > endMs) throw new Error(`never: ${what}\n${more()}`);
  }
}

export class Program {
  readonly child: ChildProcess;
  /** What it said, on both streams. */
  log = "";
  #isClosed = false;

  constructor(child: ChildProcess) {
    this.child = child;
    child.on("close", () => (this.#isClosed = true));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (bytes: Buffer) => (this.log += bytes.toString()));
    }
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Its exit code, once it has ended and all that it said was read. */
  async ended(): Promise<number | null> {
    await until(
      "it ends",
      () => this.#isClosed,
      () => this.log,
    );
    return this.child.exitCode;
  }

  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const check = async (): Promise<boolean> => {
      if (await isSo()) return true;
      if (this.hasEnded) throw new Error(`it has ended, and never: ${what}\n${this.log}`);
      return false;
    };
    await until(what, check, () => this.log);
  }

  /** How often it has said so. */
  times(pattern: RegExp): number {
    return this.log.match(new RegExp(pattern, "g"))?.length ?? 0;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.child, "exit");
    this.child.kill(signal);
    await exited;
  }
}

export class DropInScene implements AsyncDisposable {
  readonly path: string = mkdtempSync(join(tmpdir(), "driftless-drop-in-"));
  readonly #children: Program[] = [];

  join(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** By a rename, with the directories above it. */
  write(name: string, content: string | Uint8Array): string {
    const path = this.join(name);
    mkdirSync(dirname(path), { recursive: true });
    // Not beside it: somebody may watch the directory.
    writeFileSync(this.join(".new~"), content);
    renameSync(this.join(".new~"), path);
    return path;
  }

  read(name: string): string | undefined {
    try {
      return readFileSync(this.join(name), "utf8");
    } catch {
      return undefined;
    }
  }

  /** Without what the sidecar keeps for itself. */
  list(name: string): readonly string[] {
    const path = this.join(name);
    if (!existsSync(path)) return [];
    return readdirSync(path)
      .filter((one) => !one.startsWith("."))
      .toSorted();
  }

  start({ argv = [], env = {} }: ProgramOptions): Program {
    return this.spawn(process.execPath, [program, "sidecar", ...argv], { env });
  }

  /** Any program, with little in its environment but this, and perhaps under another name. */
  spawn(
    file: string,
    argv: readonly string[],
    { env = {}, name = file }: { readonly env?: Environment; readonly name?: string } = {},
  ): Program {
    const child = spawn(file, argv, {
      argv0: name,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...{ PATH: process.env["PATH"], HOME: this.path, TMPDIR: tmpdir() },
        // As the runner has it: compiling the same sources for each process is most of the work.
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? compiled,
        ...env,
      },
    });
    const started = new Program(child);
    this.#children.push(started);
    return started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill()));
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

export { program as driftlessProgram };
