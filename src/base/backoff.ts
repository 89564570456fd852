// How long to wait before the next try. Delays grow to a cap and are spread by jitter, so that a
// thousand clients that lost one server do not come back at the same moment.

import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

export interface BackoffOptions {
  /** The first delay. */
  readonly baseMs: number;
  /** Each delay is this many times the one before. */
  readonly factor: number;
  /** No delay is longer, with jitter too. */
  readonly maxMs: number;
  /** The share of each delay, from 0 to 1, that is left to chance. It only ever shortens. */
  readonly jitter: number;
  /** The sequence starts over when this long has passed since the last delay was over. */
  readonly resetAfterMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** The delays of one thing that is tried again and again. Not for sharing between two of them. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;
  /** Monotonic time at which the last delay ends: the try that follows it starts there. */
  #lastDelayEndsMs = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Says how long to wait now. Call it once per failure. */
  nextMs(): number {
    const { baseMs, factor, maxMs, jitter, resetAfterMs, clock, random } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lastDelayEndsMs >= resetAfterMs) {
      this.#failures = 0;
    }
    // factor ** failures becomes Infinity after enough failures; the cap makes that harmless.
    const fullMs = Math.min(maxMs, baseMs * factor ** this.#failures);
    const delayMs = fullMs * (1 - jitter * random.next());
    this.#failures++;
    this.#lastDelayEndsMs = nowMs + delayMs;
    return delayMs;
  }

  /** Waits the next delay. Rejects with the signal's reason when `signal` aborts first. */
  async wait(signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(this.nextMs(), signal);
  }

  /** Starts over: what was tried has worked. */
  reset(): void {
    this.#failures = 0;
  }
}
