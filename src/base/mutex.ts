// One holder at a time, first come first served. The lock is a Disposable:
//   using _lock = await mutex.lock(signal);

import { addAbortListener } from "node:events";

/** Orders work within one process. Not reentrant: a holder that locks again waits for itself. */
export class Mutex {
  #held = false;
  /** Those who wait, first to be served first. Not empty only while the mutex is held. */
  readonly #waiting: (() => void)[] = [];

  /** Resolves with the lock. Rejects with the signal's reason when `signal` aborts while waiting. */
  async lock(signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.#held) {
      await this.#turn(signal);
    }
    this.#held = true;
    let released = false;
    return {
      [Symbol.dispose]: () => {
        if (!released) {
          released = true;
          this.#release();
        }
      },
    };
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    using _listener =
      signal &&
      addAbortListener(signal, () => {
        const index = this.#waiting.indexOf(resolve);
        // Gone from the list means served: the lock is on its way and an abort comes too late.
        if (index >= 0) {
          this.#waiting.splice(index, 1);
          reject(signal.reason);
        }
      });
    await promise;
  }

  /** Hands over without letting go in between, or a newcomer could overtake those who wait. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next) {
      next();
    } else {
      this.#held = false;
    }
  }
}
