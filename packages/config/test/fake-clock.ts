// A clock that stands still until it is told to go on.

export class FakeClock {
  #nowMs = 0;
  #timers = new Set<{ atMs: number; run: () => void }>();

  now = (): number => this.#nowMs;

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { atMs: this.#nowMs + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  get waiting(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= endMs);
      const next = due.sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.run();
    }
    this.#nowMs = endMs;
  }
}
