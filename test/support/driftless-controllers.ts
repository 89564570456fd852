// Real controllers as a child process, for the server of a data directory.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

export interface ControllersOptions {
  /** The server's. */
  readonly dataDir: string;
  readonly flags?: readonly string[];
}

export class DriftlessControllers implements AsyncDisposable {
  readonly process: ChildProcess;
  /** By which it stands for election. */
  identity = "";
  #output = "";
  #log = "";
  #isOver = false;
  readonly #waiting = new Set<() => void>();

  constructor({ dataDir, flags = [] }: ControllersOptions) {
    const child = spawn(
      process.execPath,
      [program, "controllers", "--data-dir", dataDir, ...flags],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    this.process = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-100_000);
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.identity = /candidate (\S+) /.exec(this.#output)?.[1] ?? "";
      for (const look of this.#waiting) look();
    });
    // Not its exit: by then not all that it wrote has been read.
    child.once("close", () => {
      this.#isOver = true;
      for (const look of this.#waiting) look();
    });
  }

  /** Stands for election. */
  static async start(options: ControllersOptions): Promise<DriftlessControllers> {
    const controllers = new DriftlessControllers(options);
    await controllers.says(/candidate \S+ for/);
    return controllers;
  }

  get isAtWork(): boolean {
    return this.#output.includes("at work");
  }

  get log(): string {
    return this.#log;
  }

  atWork(): Promise<void> {
    return this.says(/at work/);
  }

  /** Rejects if it ends first. */
  says(what: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const { exitCode, signalCode } = this.process;
        const isSaid = what.test(this.#output);
        if (!isSaid && !this.#isOver) return;
        this.#waiting.delete(look);
        if (isSaid) resolve();
        else reject(new Error(`ended with ${exitCode ?? signalCode} first: ${this.#log}`));
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** As the power cut does. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Its exit code. */
  async stop(): Promise<number | null> {
    await this.#end("SIGTERM");
    return this.process.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill(signal);
    await ended;
  }
}
