// A store that is opened first. It has threads of its own: they begin while this one still loads the rest of the program.

import type { Store } from "../storage/store.ts";

export class EarlyStore implements Disposable {
  readonly store: Store;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(store: Store) {
    this.store = store;
    this.#running = store.run(this.#stop.signal);
    // Heard by whoever calls run().
    this.#running.catch(() => undefined);
  }

  static begin(store: Store): EarlyStore {
    return new EarlyStore(store);
  }

  /** As the store's own, which runs already. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    await this.#running;
  }

  /** For the case that nobody came to run it. */
  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
