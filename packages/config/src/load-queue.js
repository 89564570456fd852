// Runs loads one at a time. Whatever asks during a load causes exactly one more.

export class LoadQueue {
  #load;
  /** @type {"update" | "reload" | undefined} Asked for and not yet begun. */
  #wanted;
  /** @type {(() => void)[]} Who waits for a load that begins after they asked. */
  #waiters = [];
  /** @type {Promise<void> | undefined} Set exactly while loads run. */
  #running;
  #isStopped = false;

  /** @param {(kind: "update" | "reload") => Promise<void>} load */
  constructor(load) {
    this.#load = load;
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

  /** Begins no more loads and waits for the one under way. */
  async stop() {
    this.#isStopped = true;
    await this.#running;
  }

  async #run() {
    while (this.#wanted !== undefined && !this.#isStopped) {
      const kind = this.#wanted;
      const waiters = this.#waiters.splice(0);
      this.#wanted = undefined;
      await this.#load(kind);
      this.#release(waiters);
    }
    this.#running = undefined;
    this.#release();
  }

  #release(waiters = this.#waiters.splice(0)) {
    for (const done of waiters) done();
  }
}
