// So many at a time, the others in order of their coming. A thousand watches that begin together ask the server in small
// groups, and are not sent away because they are too many.

import { addAbortListener } from "node:events";

export class Gate {
  readonly #places: number;
  #inside = 0;
  /** Not empty only while all places are taken. */
  readonly #waiting = new Set<() => void>();

  constructor(places: number) {
    this.#places = places;
  }

  /** Dispose what comes back to leave. Rejects with the signal's reason when it aborts while waiting. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#inside < this.#places) this.#inside++;
    else await this.#turn(signal);
    let isInside = true;
    return {
      [Symbol.dispose]: () => {
        if (isInside) this.#leave();
        isInside = false;
      },
    };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    using _listener = addAbortListener(signal, () => {
      // Gone from the set means that it has its place, and leaves it itself.
      if (this.#waiting.delete(resolve)) reject(signal.reason);
    });
    await promise;
  }

  /** The place goes to the next, if somebody waits. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inside--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
