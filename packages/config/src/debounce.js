// Waits until nothing happened for `minMs`, but at most `maxMs` after the first event.

/** @import { Environment } from "./environment.js" */

export class Debounce {
  #environment;
  #run;
  /** @type {(() => void) | undefined} Set while an event is waiting. */
  #cancel;
  #firstMs = 0;

  /**
   * @param {Pick<Environment, "now" | "after">} environment
   * @param {() => void} run
   */
  constructor(environment, run) {
    this.#environment = environment;
    this.#run = run;
  }

  /** @param {{ readonly minMs: number, readonly maxMs: number }} wait Zero runs at once. */
  hit({ minMs, maxMs }) {
    const nowMs = this.#environment.now();
    if (this.#cancel === undefined) this.#firstMs = nowMs;
    this.#cancel?.();
    const waitMs = Math.max(0, Math.min(minMs, this.#firstMs + maxMs - nowMs));
    if (waitMs === 0) this.#fire();
    else this.#cancel = this.#environment.after(waitMs, () => this.#fire());
  }

  stop() {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #fire() {
    this.stop();
    this.#run();
  }
}
