// How often a store may write its progress key. Such a write is news to every other store on the same etcd, whose
// readers may then want progress too: without a bound, reads alone would keep etcd writing.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";

/** Between the first two. Doubled with each that follows ... */
const minIntervalMs = 15;
/** ... up to this, which readers can still wait for ... */
const maxIntervalMs = 1000;
/** ... until there was none for so long. */
const forgetMs = 10_000;

/** Belongs to one store. */
export class TouchPace {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #intervalMs = 0;
  #touchedMs = Number.NEGATIVE_INFINITY;
  #hasWarned = false;

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** How long to wait before the next. */
  get waitMs(): number {
    return Math.max(0, this.#touchedMs + this.#intervalMs - this.#clock.monotonicMs());
  }

  /** The key is written now, because of an etcd of this version. */
  touched(version: string): void {
    const nowMs = this.#clock.monotonicMs();
    const isNew = nowMs - this.#touchedMs > forgetMs;
    this.#intervalMs = isNew ? minIntervalMs : Math.min(maxIntervalMs, this.#intervalMs * 2);
    this.#touchedMs = nowMs;
    if (this.#hasWarned || this.#intervalMs < maxIntervalMs) return;
    this.#hasWarned = true;
    this.#logger.warn("reads cause writes to etcd, update it to 3.4.25, 3.5.8 or later", {
      version,
    });
  }
}
