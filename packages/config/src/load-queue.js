// Runs loads one at a time. Whatever asks during a load causes exactly one more.

import { AsyncLocalStorage } from "node:async_hooks";

/** @type {AsyncLocalStorage<readonly LoadQueue[]>} The queues in whose loads the present call is. */
const within = new AsyncLocalStorage();

export class LoadQueue {
  #load;
  #onFailure;
  /** @type {"update" | "reload" | undefined} Asked for and not yet begun. */
  #wanted;
  /** @type {(() => void)[]} Who waits for a load that begins after they asked. */
  #waiters = [];
  /** @type {Promise<void> | undefined} Set exactly while loads run. */
  #running;
  #isStopped = false;

  /**
   * @param {object} needs
   * @param {(kind: "update" | "reload") => Promise<void>} needs.load
   * @param {(cause: unknown) => void} needs.onFailure A load rejected, which none should. Must not throw.
   */
  constructor({ load, onFailure }) {
    this.#load = load;
    this.#onFailure = onFailure;
  }

  /** @param {"update" | "reload"} kind */
  ask(kind) {
    if (this.#isStopped) return;
    if (this.#wanted !== "reload") this.#wanted = kind;
    this.#running ??= this.#run();
  }

  /**
   * Resolves when a load that begins after this call is done; at once when none is to come. Later
   * loads are not waited for: under a storm of changes there is always one more.
   * @param {() => void} ask
   * @returns {Promise<void>}
   */
  after(ask) {
    return new Promise((done) => {
      this.#waiters.push(done);
      ask();
      if (this.#running === undefined) this.#release();
    });
  }

  /** Begins no more loads and waits for the one under way, unless that is who calls. */
  async stop() {
    this.#isStopped = true;
    if (!within.getStore()?.includes(this)) await this.#running;
  }

  async #run() {
    const outer = within.getStore() ?? [];
    const inner = outer.includes(this) ? outer : [...outer, this];
    try {
      while (this.#wanted !== undefined && !this.#isStopped) {
        const kind = this.#wanted;
        const waiters = this.#waiters.splice(0);
        this.#wanted = undefined;
        try {
          await within.run(inner, () => this.#load(kind));
        } catch (cause) {
          this.#onFailure(cause);
        } finally {
          this.#release(waiters);
        }
      }
    } finally {
      this.#running = undefined;
      this.#release();
    }
  }

  #release(waiters = this.#waiters.splice(0)) {
    for (const done of waiters) done();
  }
}
