// Brings the world in line with what is wanted, one key at a time. Whoever sees a change adds the key of what it concerns; a worker
// takes it and calls `sync`, which looks at what is there now and does what is missing. Level, not edge: a change that was missed or
// merged with others costs nothing but time.

import { StatusError } from "../api/status-error.ts";
import { aborted, isAbort } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { LoopMetrics, TurnResult } from "./loop-metrics.ts";
import { WorkQueue } from "./work-queue.ts";

export interface ControllerOptions {
  /** "deployment": for logs. */
  readonly name: string;
  /** How many keys are worked on at a time. */
  readonly workers: number;
  /** Settles when all that it reads from is complete; nothing is worked on before. */
  readonly synced: () => Promise<void>;
  /**
   * Does what is missing for one key, however often it is called. Throws to be called again after a growing pause; a number says
   * in how many milliseconds to look again although nothing changes.
   */
  readonly sync: (key: string, signal: AbortSignal) => Promise<number | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Undefined: nobody counts. */
  readonly loops?: LoopMetrics | undefined;
}

/** From here on a failure is told of loudly: conflicts and caches that lag behind have passed by then. */
const LOUD_FAILURES = 5;

export class Controller {
  readonly #options: ControllerOptions;
  readonly #logger: Logger;
  readonly queue: WorkQueue;

  constructor(options: ControllerOptions) {
    const { clock, random, logger, name } = options;
    this.#options = options;
    this.#logger = logger.child({ controller: name });
    this.queue = new WorkQueue({ clock, random });
  }

  get name(): string {
    return this.#options.name;
  }

  /** Settles when the signal has aborted and no worker is at work. What was not done is found again by the next who runs. */
  async run(signal: AbortSignal): Promise<void> {
    const { workers, synced } = this.#options;
    await Promise.race([synced(), aborted(signal)]);
    await Promise.all(Array.from({ length: workers }, () => this.#work(signal)));
    this.queue.clear();
    this.#tellDepth();
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let key: string;
      try {
        key = await this.queue.take(signal);
      } catch (err) {
        if (isAbort(err, signal)) return;
        throw err;
      }
      await this.#workOn(key, signal);
    }
  }

  async #workOn(key: string, signal: AbortSignal): Promise<void> {
    const { clock, loops } = this.#options;
    const startedMs = clock.monotonicMs();
    let result: TurnResult = "done";
    this.#tellDepth();
    try {
      const againMs = await this.#options.sync(key, signal);
      this.queue.forget(key);
      if (againMs === undefined) return;
      result = "again";
      this.queue.addAfter(key, againMs);
    } catch (err) {
      if (signal.aborted) return;
      result = "failed";
      this.#tell(key, err);
      this.queue.addRateLimited(key);
    } finally {
      this.queue.done(key);
      const seconds = (clock.monotonicMs() - startedMs) / 1000;
      if (!signal.aborted) loops?.turn(this.name, { result, seconds });
      this.#tellDepth();
    }
  }

  #tellDepth(): void {
    this.#options.loops?.depth(this.name, this.queue.size);
  }

  #tell(key: string, err: unknown): void {
    const failures = this.queue.failures(key) + 1;
    const isExpected = err instanceof StatusError && (err.code === 409 || err.code === 404);
    if (isExpected && failures < LOUD_FAILURES) this.#logger.debug("sync repeated", { key, err });
    else this.#logger.warn("sync failed", { key, failures, err });
  }
}
