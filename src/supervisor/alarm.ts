// Wakes a loop: something has changed since it last looked, or some time is over.

import type { Clock } from "../base/clock.ts";

export class Alarm implements Disposable {
  readonly #clock: Clock;
  readonly #timers = new Set<Disposable>();
  #hasRung = false;
  #waiter: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#hasRung = true;
    this.#waiter?.();
  }

  /** Does something, and rings. */
  after(ms: number, then: () => void = () => undefined): void {
    const timer = this.#clock.schedule(ms, () => {
      this.#timers.delete(timer);
      then();
      this.ring();
    });
    this.#timers.add(timer);
  }

  /** Before a look: what rings from now on ends the next pause. */
  reset(): void {
    this.#hasRung = false;
  }

  async pause(): Promise<void> {
    if (!this.#hasRung) await new Promise<void>((resolve) => (this.#waiter = resolve));
    this.#waiter = undefined;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }
}
