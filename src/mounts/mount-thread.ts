// This side of the thread that visits containers. It is started when it is first needed; one that died, or does not answer, is
// replaced by another: what it has left half done is finished by whoever comes next. It gets one request at a time, so that a
// container that makes it wait for ever harms nobody but itself: who waits behind it is served by the next thread.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "../base/clock.ts";
import type {
  MountThreadAnswer,
  MountThreadMessage,
  MountThreadRequest,
} from "./mount-protocol.ts";
import type { ReplaceOutcome, ReplaceRequest } from "./replace-mounts.ts";

/** Far beyond what a thousand mounts need. A container can make a visitor wait for ever only by mounting a file system of its own. */
const PATIENCE_MS = 30_000;

/** Whoever replaces mounts in containers. */
export interface MountReplacer {
  /** By name; undefined if the container is gone. Throws if nothing could be done. */
  replace(request: ReplaceRequest): Promise<ReadonlyMap<string, ReplaceOutcome> | undefined>;
}

interface Job {
  readonly request: ReplaceRequest;
  readonly answer: PromiseWithResolvers<MountThreadAnswer>;
  /** Nothing of it is under way any more. */
  readonly done: PromiseWithResolvers<void>;
}

export class MountThread implements MountReplacer, AsyncDisposable {
  readonly #clock: Clock;
  #worker: Worker | undefined;
  /** The first is under way if `#patience` is there. */
  readonly #jobs: Job[] = [];
  #patience: Disposable | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async replace(request: ReplaceRequest): Promise<ReadonlyMap<string, ReplaceOutcome> | undefined> {
    const answer = Promise.withResolvers<MountThreadAnswer>();
    this.#jobs.push({ request, answer, done: Promise.withResolvers() });
    this.#next();
    const { outcomes, failure } = await answer.promise;
    if (failure !== undefined) throw new Error(`Cannot replace mounts: ${failure}`);
    return outcomes;
  }

  /** Lets it finish what it was asked for. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#jobs.map(({ done }) => done.promise));
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    worker.ref();
    const ended = Promise.withResolvers<void>();
    worker.once("exit", () => ended.resolve());
    worker.postMessage({ kind: "end" } satisfies MountThreadRequest);
    await ended.promise;
  }

  #next(): void {
    const [job] = this.#jobs;
    if (job === undefined || this.#patience !== undefined) return;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#patience = this.#clock.schedule(PATIENCE_MS, () => {
      this.#abandon(worker, new Error(`The mount thread did not answer in ${PATIENCE_MS} ms`));
    });
    const { request } = job;
    worker.postMessage({ kind: "replace", request } satisfies MountThreadRequest);
  }

  #start(): Worker {
    // The sources run as they are, and compiled.
    const file = new URL(`./mount-worker${extname(import.meta.filename)}`, import.meta.url);
    const worker = new Worker(file, { name: "mounts" });
    worker.on("message", (message: MountThreadMessage) => {
      if (worker !== this.#worker) return;
      if (message.kind === "answer") this.#jobs[0]?.answer.resolve(message);
      else this.#done();
    });
    worker.once("error", (cause) => {
      this.#abandon(worker, new Error("The mount thread died", { cause }));
    });
    worker.once("exit", () => this.#abandon(worker, new Error("The mount thread ended")));
    // An agent that stops does not wait for it.
    worker.unref();
    return worker;
  }

  #done(): void {
    this.#patience?.[Symbol.dispose]();
    this.#patience = undefined;
    this.#jobs.shift()?.done.resolve();
    this.#next();
  }

  #abandon(worker: Worker, why: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    // If it was answered already, this is nothing to anybody.
    this.#jobs[0]?.answer.reject(why);
    this.#done();
  }
}
