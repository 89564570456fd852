// One of our programs as a process of its own, which goes with the test, and what waits for it to get somewhere.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const driftless = join(import.meta.dirname, "../../src/cmd/driftless.ts");
const PATIENCE_MS = 100_000;
const MAX_LOG_LENGTH = 200_000;
const MAX_SAID_LENGTH = 8_000;

export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  /** Not its output: what it has started may hold that open. */
  readonly #exit: Promise<unknown>;
  readonly #said: Promise<unknown>;
  #log = "";
  #output = "";
  #isKilled = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exit = once(child, "exit");
    this.#said = once(child, "close");
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-MAX_LOG_LENGTH);
    });
  }

  /** `driftless …`. */
  static driftless(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    return Program.node([driftless, ...args], env);
  }

  static node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...env },
    });
    // A program that was killed reads nothing.
    child.stdin.on("error", () => undefined);
    return new Program(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The end of what it wrote to standard error. */
  get log(): string {
    return this.#log;
  }

  /** All that it wrote to standard output. */
  get output(): string {
    return this.#output;
  }

  /** It has ended, and nobody here has asked for that. */
  get hasFailed(): boolean {
    return !this.#isKilled && this.#hasEnded;
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ends its standard input, and waits until it ends by itself. What it wrote to standard output. */
  async finish(): Promise<string> {
    this.#isKilled = true;
    this.#child.stdin?.end();
    await this.#exit;
    await this.#said;
    if (this.#child.exitCode !== 0) throw new Error(`a program has failed: ${this.#log}`);
    return this.#output;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#isKilled = true;
    if (this.#hasEnded) return;
    this.#child.kill(signal);
    await this.#exit;
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** Throws with what `said` says when it takes too long. */
export async function until(
  what: string,
  isSo: () => boolean,
  said: () => string = () => "",
): Promise<void> {
  for (const endMs = performance.now() + PATIENCE_MS; !isSo(); await sleep(5)) {
    if (performance.now() > endMs)
      throw new Error(`never: ${what}\n${said().slice(-MAX_SAID_LENGTH)}`);
  }
}
