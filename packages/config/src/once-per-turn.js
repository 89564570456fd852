// At most one run per turn of the event loop. The first call runs at once, because a single swap
// should wait for nothing; all others of the same turn together cause one more run in the next, so
// that a storm of events leaves room for timers and sockets.

/** @import { Environment } from "./environment.js" */

export class OncePerTurn {
  #environment;
  #run;
  #hasRun = false;
  #isWanted = false;

  /**
   * @param {Pick<Environment, "soon">} environment
   * @param {() => void} run
   */
  constructor(environment, run) {
    this.#environment = environment;
    this.#run = run;
  }

  hit() {
    if (this.#hasRun) {
      this.#isWanted = true;
      return;
    }
    this.#hasRun = true;
    this.#environment.soon(() => this.#nextTurn());
    this.#run();
  }

  #nextTurn() {
    this.#hasRun = false;
    if (!this.#isWanted) return;
    this.#isWanted = false;
    this.hit();
  }
}
