// Forgets the past in time: what is older than a few minutes is compacted, so that the store does not grow with every
// change for ever. Clients that were away longer list again.

import { isAbort } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Store } from "../storage/store.ts";

export interface CompactorOptions {
  readonly store: Store;
  /** Between one and two of these of the past are kept. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class Compactor {
  readonly #options: CompactorOptions;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { store, intervalMs, clock, logger } = this.#options;
    let previous: bigint | undefined;
    while (!signal.aborted) {
      try {
        await clock.sleep(intervalMs, signal);
        const now = await store.revision();
        if (previous !== undefined) await store.compact(previous);
        previous = now;
      } catch (err) {
        if (isAbort(err, signal)) return;
        logger.warn("cannot compact the store", { err }); // The next round tries again.
      }
    }
  }
}
