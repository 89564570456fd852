// So many at once, first come first served. A slot is a Disposable:
//   using _slot = await slots.take(signal);

import { addAbortListener } from "node:events";

export class Slots {
  #free: number;
  /** Not empty only while none is free. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Rejects with the signal's reason when `signal` aborts while waiting. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    return { [Symbol.dispose]: () => this.#release() };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    using _listener = addAbortListener(signal, () => {
      // Gone from the set means served: the slot is on its way and an abort comes too late.
      if (this.#waiting.delete(resolve)) reject(signal.reason);
    });
    await promise;
  }

  /** Hands over without letting go in between, or a newcomer could overtake those who wait. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
