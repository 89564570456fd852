// Work that is waited for, and given up as soon as nobody wants it any more.

export class Mootable {
  #task: { readonly isMoot: () => boolean; readonly stop: AbortController } | undefined;

  /** To be called when something has happened. */
  check(): void {
    if (this.#task?.isMoot()) this.#task.stop.abort();
  }

  /** One at a time. Returns false if it was given up; throws what the work throws. */
  async unless(
    isMoot: () => boolean,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const stop = new AbortController();
    this.#task = { isMoot, stop };
    try {
      await work(stop.signal);
      return true;
    } catch (err) {
      if (stop.signal.aborted) return false;
      throw err;
    } finally {
      this.#task = undefined;
    }
  }
}
