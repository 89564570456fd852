// Many who ask for the store's revision at the same time share one request. One who comes while a request
// is under way waits for the next: the one under way may have been answered before the write that this
// caller has seen.

import type { Revision } from "../store.ts";

export class RevisionReader {
  readonly #ask: () => Promise<Revision>;
  #current: Promise<Revision> | undefined;
  /** Starts when #current ends. */
  #next: Promise<Revision> | undefined;

  constructor(ask: () => Promise<Revision>) {
    this.#ask = ask;
  }

  read(): Promise<Revision> {
    if (this.#current === undefined) {
      return this.#start();
    }
    this.#next ??= this.#startAfter(this.#current);
    return this.#next;
  }

  async #startAfter(current: Promise<Revision>): Promise<Revision> {
    // Its failure is the business of those who wait for it.
    await current.catch(() => undefined);
    this.#next = undefined;
    return this.#start();
  }

  #start(): Promise<Revision> {
    const asked = this.#ask().finally(() => {
      if (this.#current === asked) {
        this.#current = undefined;
      }
    });
    this.#current = asked;
    return asked;
  }
}
