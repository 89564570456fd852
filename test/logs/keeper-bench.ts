// A data directory with a log keeper of its own, containers that are FIFOs and shells, and no process left when the test is over.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { isErrno } from "../../src/base/errors.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { type LogKeeper, ProcessLogKeeper } from "../../src/runtime/logs/log-keeper.ts";

export interface Output {
  readonly id: string;
  readonly stdoutFifo: string;
  readonly stderrFifo: string;
  readonly logPath: string;
}

export class KeeperBench implements AsyncDisposable {
  readonly #dir = tempDir();
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly #agents: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];
  readonly #children: ChildProcess[] = [];
  readonly root: string;

  constructor(...below: readonly string[]) {
    this.root = this.#dir.join(...below);
  }

  /** An agent's side of the keeper. */
  agent(): LogKeeper & { readonly end: () => Promise<void> } {
    const { root, logger } = this;
    const keeper = new ProcessLogKeeper({ root, clock: systemClock, logger });
    const stop = new AbortController();
    const ended = keeper.run(stop.signal);
    this.#agents.push({ stop, ended });
    const end = async (): Promise<void> => {
      stop.abort();
      await ended;
    };
    return Object.assign(keeper, { end });
  }

  output(id: string, logPath: string = this.#dir.join("logs", id, "0.log")): Output {
    const output = this.#output(id, logPath);
    execFileSync("mkfifo", [output.stdoutFifo, output.stderrFifo]);
    return output;
  }

  outputs(count: number): Output[] {
    const outputs = Array.from({ length: count }, (_, i) =>
      this.#output(`c${i}`, this.#dir.join("logs", `c${i}`, "0.log")),
    );
    const fifos = outputs.flatMap(({ stdoutFifo, stderrFifo }) => [stdoutFifo, stderrFifo]);
    execFileSync("mkfifo", fifos);
    return outputs;
  }

  #output(id: string, logPath: string): Output {
    return {
      id,
      stdoutFifo: this.#dir.join(`${id}.out`),
      stderrFifo: this.#dir.join(`${id}.err`),
      logPath,
    };
  }

  /** A shell whose output goes to the FIFOs, which it has open for reading and writing. */
  shell({ stdoutFifo, stderrFifo }: Output, script: string): ChildProcess {
    const fds = [stdoutFifo, stderrFifo].map((path) => openSync(path, constants.O_RDWR));
    const child = spawn("sh", ["-c", script], { stdio: ["pipe", ...fds] });
    for (const fd of fds) closeSync(fd);
    this.#children.push(child);
    return child;
  }

  get pid(): number {
    return Number(readFileSync(`${this.root}/run/log-keeper.pid`, "utf8"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stop, ended } of this.#agents) {
      stop.abort();
      await ended;
    }
    for (const child of this.#children) {
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) {
        await once(child, "exit");
      }
    }
    await killKeeper(this);
    this.#dir[Symbol.dispose]();
  }
}

export async function killKeeper(bench: KeeperBench): Promise<void> {
  try {
    const { pid } = bench;
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
  } catch (err) {
    // There is none, or none any more.
    if (!isErrno(err, "ENOENT", "ESRCH")) throw err;
  }
}

export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Looks until it is so, since nothing tells when another process has done something. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}

/** Of one that is being written: its last line may be there in part. */
export function lineCount(path: string): number {
  return readFileSync(path, "latin1").split("\n").length - 1;
}

/** "stdout F text" */
export function linesOf(path: string): string[] {
  const lines = readFileSync(path, "latin1").split("\n");
  if (lines.pop() !== "") throw new Error(`The last line of "${path}" is torn`);
  return lines.map((line) => {
    const [, rest] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (.*)$/s.exec(line) ?? [];
    if (rest === undefined) throw new Error(`"${path}" has a line of another form: ${line}`);
    return rest;
  });
}
