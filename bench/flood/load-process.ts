// A process that makes load: it gets one job, and answers once, when it is done or told to stop.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export class LoadProcess<Job extends object, Result> implements Disposable {
  readonly #child: ChildProcess;
  readonly #result: Promise<Result>;

  constructor(file: URL, job: Job) {
    this.#child = fork(fileURLToPath(file));
    this.#result = this.#answer();
    // Whoever waits for it hears of a failure.
    this.#result.catch(() => undefined);
    this.#child.send(job);
  }

  result(): Promise<Result> {
    return this.#result;
  }

  /** For one that goes on for ever. */
  stop(): Promise<Result> {
    this.#child.send("stop");
    return this.#result;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }

  async #answer(): Promise<Result> {
    const ended = once(this.#child, "exit").then(([code]): never => {
      throw new Error(`Cannot measure: a load process ended with ${String(code)}`);
    });
    ended.catch(() => undefined);
    const [reply] = (await Promise.race([once(this.#child, "message"), ended])) as [Result];
    return reply;
  }
}

/** The other side. `stop` aborts when the job is told to end. */
export function serveJob<Job, Result>(run: (job: Job, stop: AbortSignal) => Promise<Result>): void {
  const stop = new AbortController();
  process.on("disconnect", () => process.exit());
  process.on("message", (message: Job | "stop") => {
    if (message === "stop") stop.abort();
    else void run(message, stop.signal).then((result) => process.send?.(result));
  });
}
