// `driftless run` as a process of its own, with what it and its program say.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface RunLine {
  readonly message: string;
  readonly reason?: string;
  readonly pid?: number;
  readonly [field: string]: unknown;
}

export interface RunStart {
  readonly args: readonly string[];
  /** In front of everything: another program that starts ours. */
  readonly prefix?: readonly string[];
  /** Besides our own. */
  readonly env?: Readonly<Record<string, string>>;
}

const main = join(import.meta.dirname, "../../src/cmd/driftless.ts");
/** What starts it; flags follow. */
export const runProgram: readonly string[] = [process.execPath, main, "run"];
const LIMIT_MS = 60_000;
/** A test that failed may leave a program that ignores what it is asked. */
const PATIENCE_MS = 5_000;

export class RunProcess implements AsyncDisposable {
  /** What the program has printed. */
  readonly printed: string[] = [];
  /** What the supervisor has logged. */
  readonly logged: RunLine[] = [];
  /** When everybody who may write has gone. */
  readonly exit: Promise<number | null>;
  /** Of run itself, whoever it leaves behind. */
  readonly ended: Promise<unknown>;
  readonly #process: ChildProcess;
  #onNews: (() => void) | undefined;

  static start({ args, prefix = [], env = {} }: RunStart): RunProcess {
    const [command = "", ...rest] = [...prefix, ...runProgram, ...args];
    return new RunProcess(
      spawn(command, rest, {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...env },
      }),
    );
  }

  private constructor(started: ChildProcess) {
    this.#process = started;
    this.exit = once(started, "close").then(([code]) => {
      this.#onNews?.();
      return code as number | null;
    });
    this.ended = once(started, "exit").then(() => this.#onNews?.());
    this.#listen(started.stdout, (line) => this.printed.push(line));
    this.#listen(started.stderr, (line) => {
      this.logged.push(line.startsWith("{") ? (JSON.parse(line) as RunLine) : { message: line });
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get isEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** Of all programs that were started, in order. */
  get pids(): readonly number[] {
    return this.logged.flatMap(({ message, pid }) =>
      message.startsWith("program started") && pid !== undefined ? [pid] : [],
    );
  }

  get openFiles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** As a collector of logs that has gone. */
  stopReadingLog(): void {
    this.#process.stderr?.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Throws with everything that was said if it takes too long. */
  async until(isTrue: (run: RunProcess) => boolean): Promise<void> {
    const limit = AbortSignal.timeout(LIMIT_MS);
    while (!isTrue(this)) {
      if (limit.aborted || this.isEnded) {
        const said = JSON.stringify({ printed: this.printed, logged: this.logged.slice(-20) });
        throw new Error(
          `It did not come to that (${this.isEnded ? "ended" : "too late"}): ${said}`,
        );
      }
      const news = Promise.withResolvers<void>();
      this.#onNews = news.resolve;
      limit.addEventListener("abort", () => news.resolve(), { once: true });
      await news.promise;
    }
  }

  untilPrinted(line: string): Promise<void> {
    return this.until(({ printed }) => printed.includes(line));
  }

  /** What it prints may be read sooner than what is logged about it. */
  untilStarted(count: number): Promise<void> {
    return this.until(({ pids }) => pids.length >= count);
  }

  untilLogged(message: string, count = 1): Promise<void> {
    return this.until(
      ({ logged }) => logged.filter((line) => line.message === message).length >= count,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal("SIGTERM");
    const patience = new Promise((resolve) => {
      AbortSignal.timeout(PATIENCE_MS).addEventListener("abort", resolve, { once: true });
    });
    if (!this.isEnded) await Promise.race([this.exit, patience]);
    this.signal("SIGKILL");
    for (const pid of this.pids) {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // It has ended, as it should.
      }
    }
    // What they have left behind may hold the pipes.
    this.#process.stdout?.destroy();
    this.#process.stderr?.destroy();
    await this.exit;
  }

  #listen(stream: NodeJS.ReadableStream | null, take: (line: string) => unknown): void {
    if (stream === null) return;
    createInterface({ input: stream }).on("line", (line) => {
      take(line);
      this.#onNews?.();
    });
  }
}
