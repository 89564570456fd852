// What runs beside an app for months should be small. When it has started, and when it has been quiet again after some work, it gives back what waiting does not need.

import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { giveBackProgramPages } from "../mounts/program-pages.ts";

export interface GiveBackOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** In place of the pages of this very process. */
  readonly giveBack?: () => number;
}

/** So long it is quiet; a start takes less than that. What is given back too early comes back, and costs time twice. */
const QUIET_MS = 10_000;

/** A kernel that does not do it changes nothing but the size. */
export class MemoryGiver implements Disposable {
  readonly #options: GiveBackOptions;
  #timer: Disposable | undefined;

  constructor(options: GiveBackOptions) {
    this.#options = options;
  }

  /** There was work. Also to be called once at the start. */
  noteWork(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#options.clock.schedule(QUIET_MS, () => this.#giveBack());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #giveBack(): void {
    const { logger, giveBack = giveBackProgramPages } = this.#options;
    try {
      const kib = giveBack();
      logger.debug("memory was given back", { kib });
    } catch (err) {
      logger.debug("memory cannot be given back", { err });
    }
  }
}
