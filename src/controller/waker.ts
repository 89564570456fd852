// A pause that can be cut short. A wake that comes while nobody pauses ends the next pause at once, so that none is lost.

import type { Clock } from "../base/clock.ts";

export class Waker {
  readonly #clock: Clock;
  #isAwake = false;
  #resume: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wake(): void {
    this.#isAwake = true;
    this.#resume?.();
  }

  /** Settles after `ms`, when it is woken, or when `signal` aborts. For one caller at a time. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isAwake && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resume = resolve;
      const onAbort = (): void => resolve();
      signal.addEventListener("abort", onAbort, { once: true });
      using _timer = this.#clock.schedule(Math.max(0, ms), resolve);
      await promise;
      signal.removeEventListener("abort", onAbort);
      this.#resume = undefined;
    }
    this.#isAwake = false;
  }
}
