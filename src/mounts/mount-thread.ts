// This side of the thread that visits containers. It is started when it is first needed; one that died, or does not answer, is
// replaced by another: what it has left half done is finished by whoever comes next.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "../base/clock.ts";
import type { MountThreadAnswer, MountThreadRequest } from "./mount-protocol.ts";
import type { ReplaceOutcome, ReplaceRequest } from "./replace-mounts.ts";

/** Far beyond what a thousand mounts need. A container can make a visitor wait for ever only by mounting a file system of its own. */
const PATIENCE_MS = 30_000;

/** Whoever replaces mounts in containers. */
export interface MountReplacer {
  /** By name; undefined if the container is gone. Throws if nothing could be done. */
  replace(request: ReplaceRequest): Promise<ReadonlyMap<string, ReplaceOutcome> | undefined>;
}

interface Running {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<MountThreadAnswer>>;
}

export class MountThread implements MountReplacer, AsyncDisposable {
  readonly #clock: Clock;
  #running: Running | undefined;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async replace(request: ReplaceRequest): Promise<ReadonlyMap<string, ReplaceOutcome> | undefined> {
    this.#running ??= this.#start();
    const running = this.#running;
    const number = ++this.#count;
    const answer = Promise.withResolvers<MountThreadAnswer>();
    running.waiting.set(number, answer);
    running.worker.postMessage({ kind: "replace", number, request } satisfies MountThreadRequest);
    using _timer = this.#clock.schedule(PATIENCE_MS, () => {
      this.#abandon(running, new Error(`The mount thread did not answer in ${PATIENCE_MS} ms`));
    });
    const { outcomes, failure } = await answer.promise;
    if (failure !== undefined) throw new Error(`Cannot replace mounts: ${failure}`);
    return outcomes;
  }

  /** Lets it finish what it was asked for. */
  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    const ended = Promise.withResolvers<void>();
    running.worker.ref();
    running.worker.once("exit", () => ended.resolve());
    running.worker.postMessage({ kind: "end" } satisfies MountThreadRequest);
    await ended.promise;
  }

  #start(): Running {
    // The sources run as they are, and compiled.
    const file = new URL(`./mount-worker${extname(import.meta.filename)}`, import.meta.url);
    const running: Running = { worker: new Worker(file, { name: "mounts" }), waiting: new Map() };
    const { worker, waiting } = running;
    worker.on("message", (answer: MountThreadAnswer) => {
      waiting.get(answer.number)?.resolve(answer);
      waiting.delete(answer.number);
    });
    worker.once("error", (cause) => {
      this.#abandon(running, new Error("The mount thread died", { cause }));
    });
    worker.once("exit", () => this.#abandon(running, new Error("The mount thread ended")));
    // An agent that stops does not wait for it.
    worker.unref();
    return running;
  }

  #abandon(running: Running, why: Error): void {
    if (this.#running === running) this.#running = undefined;
    for (const { reject } of running.waiting.values()) reject(why);
    running.waiting.clear();
    void running.worker.terminate();
  }
}
