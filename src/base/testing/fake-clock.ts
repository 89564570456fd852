// Time that stands still until a test steps it. A step runs the timers that become due, one by one and
// in order, and lets everything that they set off run to its next wait before the next timer fires.

import { setImmediate as afterMicrotasks } from "node:timers/promises";
import type { Clock } from "../clock.ts";

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

// A loop that waits 0 ms for ever would never let a step end; nothing honest needs as many timers.
const maxTimersPerStep = 100_000;

export class FakeClock implements Clock {
  /** Time of the day at which the clock starts: an arbitrary, round moment. */
  readonly #epochMs = Date.UTC(2024, 0, 1);
  /** Those that have not fired, in the order in which they were set. */
  readonly #timers: Timer[] = [];
  #elapsedMs = 0;

  now(): number {
    return this.#epochMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  /** How many sleeps and scheduled callbacks are pending. */
  get waiting(): number {
    return this.#timers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        timer[Symbol.dispose]();
        reject(signal?.reason as Error);
      };
      const timer = this.schedule(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  schedule(ms: number, callback: () => void): Disposable {
    const timer = { dueMs: this.#elapsedMs + Math.max(0, ms), callback };
    this.#timers.push(timer);
    return { [Symbol.dispose]: () => this.#remove(timer) };
  }

  /**
   * Lets `ms` pass. step(0) lets promises settle and fires what is due now. It does not wait for real
   * I/O: code that reads a file between two waits needs a step per read.
   */
  async step(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    await afterMicrotasks();
    for (let fired = 0; ; fired++) {
      const timer = this.#nextDue(endMs);
      if (!timer) {
        break;
      }
      if (fired === maxTimersPerStep) {
        throw new Error(`Cannot step ${ms} ms: ${maxTimersPerStep} timers fired and more are due`);
      }
      this.#remove(timer);
      this.#elapsedMs = timer.dueMs;
      timer.callback();
      await afterMicrotasks();
    }
    this.#elapsedMs = endMs;
  }

  #nextDue(endMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (!next || timer.dueMs < next.dueMs)) {
        next = timer;
      }
    }
    return next;
  }

  #remove(timer: Timer): void {
    const index = this.#timers.indexOf(timer);
    if (index >= 0) {
      this.#timers.splice(index, 1);
    }
  }
}
