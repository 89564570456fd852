// How much goes on at once: each session holds connections, and most of them a process.

import { RequestError } from "./request-error.ts";

export class Sessions {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** One more, until it is disposed. Throws RequestError if there are too many. */
  enter(): Disposable {
    if (this.#count >= this.#max) {
      throw new RequestError(
        429,
        `too many sessions on this node (${this.#max}): end some, or try again later`,
        { "retry-after": "5" },
      );
    }
    this.#count++;
    let isIn = true;
    return {
      [Symbol.dispose]: () => {
        if (isIn) this.#count--;
        isIn = false;
      },
    };
  }
}
