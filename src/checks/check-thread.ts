// This side of the thread that checks contents: a schema with a pattern that takes for ever, or a text that unfolds into gigabytes,
// ends the thread and not the program. It is started when it is first needed, gets one request at a time, and is replaced when it dies or
// takes too long.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "../base/clock.ts";
import type {
  CheckMessage,
  CheckPlace,
  CheckRequest,
  ContentCheck,
  Refusal,
  RefusalKind,
} from "./check-protocol.ts";

/** Whoever can check contents. */
export interface ContentChecker {
  /** Undefined: nothing is against it. Never throws: what cannot be checked is refused. */
  check(
    checks: readonly ContentCheck[],
    content: ReadonlyMap<string, Uint8Array>,
  ): Promise<Refusal | undefined>;
}

/** For one content, which has at most 1 MiB. Honest checks take milliseconds. */
export const CHECK_LIMIT_MS = 5000;
/** What 1 MiB of text can honestly become. */
const MAX_HEAP_MB = 256;

interface Job {
  readonly request: CheckRequest;
  readonly answer: PromiseWithResolvers<Refusal | undefined>;
  place: CheckPlace | undefined;
}

export class CheckThread implements ContentChecker, AsyncDisposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #worker: Worker | undefined;
  /** The first is under way if `#limit` is there. */
  readonly #jobs: Job[] = [];
  #limit: Disposable | undefined;
  #requests = 0;

  /** `limitMs`: for one content. */
  constructor(clock: Clock, limitMs: number = CHECK_LIMIT_MS) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Where it is at this moment, if it is anywhere. */
  get underWay(): CheckPlace | undefined {
    return this.#jobs[0]?.place;
  }

  check(
    checks: readonly ContentCheck[],
    content: ReadonlyMap<string, Uint8Array>,
  ): Promise<Refusal | undefined> {
    const answer = Promise.withResolvers<Refusal | undefined>();
    const request = { id: ++this.#requests, checks, content };
    this.#jobs.push({ request, answer, place: undefined });
    this.#next();
    return answer.promise;
  }

  /** What is under way is refused. */
  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#limit?.[Symbol.dispose]();
    for (const job of this.#jobs.splice(0))
      job.answer.resolve(refusal(job, "Crashed", "the program ends"));
    await worker?.terminate();
  }

  #next(): void {
    const [job] = this.#jobs;
    if (job === undefined || this.#limit !== undefined) return;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const limitMs = this.#limitMs;
    this.#limit = this.#clock.schedule(limitMs, () =>
      this.#abandon(worker, "TimedOut", `it did not end in ${limitMs / 1000} s`),
    );
    // Somebody waits for the answer: the process does not end before it.
    worker.ref();
    worker.postMessage(job.request);
  }

  #start(): Worker {
    // The sources run as they are, and compiled.
    const file = new URL(`./check-worker${extname(import.meta.filename)}`, import.meta.url);
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
    const worker = new Worker(file, { name: "checks", resourceLimits });
    worker.on("message", (message: CheckMessage) => {
      const [job] = this.#jobs;
      if (worker !== this.#worker || job?.request.id !== message.id) return;
      if (message.kind === "at") job.place = message.place;
      else this.#done(message.refusal);
    });
    // Its message may quote what it was reading.
    worker.once("error", () => this.#abandon(worker, "Crashed", "the checking thread failed"));
    worker.once("exit", () => this.#abandon(worker, "Crashed", "the checking thread ended"));
    return worker;
  }

  #done(result: Refusal | undefined): void {
    this.#limit?.[Symbol.dispose]();
    this.#limit = undefined;
    this.#jobs.shift()?.answer.resolve(result);
    this.#next();
    // Idle, it keeps no process alive.
    if (this.#limit === undefined) this.#worker?.unref();
  }

  #abandon(worker: Worker, kind: RefusalKind, detail: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    const [job] = this.#jobs;
    if (job !== undefined && this.#limit !== undefined) this.#done(refusal(job, kind, detail));
  }
}

function refusal({ place, request }: Job, kind: RefusalKind, detail: string): Refusal {
  const [first] = request.checks;
  const where = place ?? { policy: first?.policy ?? "", check: first?.name ?? "", key: "" };
  return { ...where, kind, detail };
}
