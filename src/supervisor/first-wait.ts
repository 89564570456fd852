// Nothing is started before every source is known. A name that is misspelled looks just like one that is late, so what is missing, and what to do about it, is said
// again and again; and whoever does not want to wait for ever says for how long.

import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";

export interface FirstWaitOptions {
  /** What is the matter with sources. */
  readonly wanted: { readonly problems: readonly string[] };
  /** Undefined: it has no end. */
  readonly startTimeoutMs: number | undefined;
  /** Called once, when the limit has passed. */
  readonly onOver: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A volume, or a watch of the API, is there sooner: then there is nothing to say. */
const FIRST_MS = 3_000;
/** Whoever looks at the end of a log sees it; a day of it is no burden. */
const AGAIN_MS = 30_000;

export class FirstWait implements Disposable {
  readonly #options: FirstWaitOptions;
  readonly #timers = new DisposableStack();
  #next: Disposable | undefined;
  #isOver = false;

  constructor(options: FirstWaitOptions) {
    this.#options = options;
  }

  /** The limit has passed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  start(): void {
    const { clock, startTimeoutMs: limitMs } = this.#options;
    this.#next = clock.schedule(FIRST_MS, () => this.#remind());
    if (limitMs !== undefined) this.#timers.use(clock.schedule(limitMs, () => this.#giveUp()));
  }

  [Symbol.dispose](): void {
    this.#next?.[Symbol.dispose]();
    this.#timers.dispose();
  }

  #remind(): void {
    const { clock, logger, wanted, startTimeoutMs } = this.#options;
    const { problems } = wanted;
    // What a gate has refused, and what it is still looking at, is said by others.
    if (problems.length > 0) {
      logger.warn("nothing is started before every source is there", {
        missing: problems,
        advice:
          startTimeoutMs === undefined
            ? "look at --watch and --env-from; --env-from NAME? may be missing, --start-timeout ends the wait"
            : "look at --watch and --env-from; --env-from NAME? may be missing",
      });
    }
    this.#next = clock.schedule(AGAIN_MS, () => this.#remind());
  }

  #giveUp(): void {
    const { logger, wanted, startTimeoutMs = 0, onOver } = this.#options;
    this.#next?.[Symbol.dispose]();
    this.#isOver = true;
    const seconds = startTimeoutMs / 1000;
    const missing = wanted.problems;
    logger.error("nothing could be started in time, so run ends", { seconds, missing });
    onOver();
  }
}
