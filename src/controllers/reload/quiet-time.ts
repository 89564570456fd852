// Merges bursts: what changed is acted on when nothing more has changed for a moment, or when the first change is too long ago to wait any longer.

import type { Clock } from "../../base/clock.ts";

export interface QuietTimes {
  /** Nothing has changed for so long. */
  readonly minMs: number;
  /** Changes that never stop do not hold anything up for longer than this. */
  readonly maxMs: number;
}

export const QUIET_TIMES: QuietTimes = { minMs: 1000, maxMs: 10_000 };

interface Burst {
  readonly firstMs: number;
  lastMs: number;
  /** What the last look found. */
  found: string;
}

export class QuietTime {
  readonly #times: QuietTimes;
  readonly #clock: Clock;
  /** Workloads for which something has changed and nothing was done yet. */
  readonly #bursts = new Map<string, Burst>();

  constructor(times: QuietTimes, clock: Clock) {
    this.#times = times;
    this.#clock = clock;
  }

  get size(): number {
    return this.#bursts.size;
  }

  isOpen(key: string): boolean {
    return this.#bursts.has(key);
  }

  /** In how many ms it is time to act; 0: now. `found` tells one change from the next. */
  look(key: string, found: string): number {
    const nowMs = this.#clock.monotonicMs();
    const burst = this.#bursts.get(key) ?? { firstMs: nowMs, lastMs: nowMs, found };
    if (burst.found !== found) {
      burst.found = found;
      burst.lastMs = nowMs;
    }
    this.#bursts.set(key, burst);
    const { minMs, maxMs } = this.#times;
    return Math.max(0, Math.min(burst.lastMs + minMs, burst.firstMs + maxMs) - nowMs);
  }

  /** In how many ms not even good reasons to wait count any more. */
  patienceMs(key: string): number {
    const { firstMs } = this.#bursts.get(key) ?? { firstMs: this.#clock.monotonicMs() };
    return Math.max(0, firstMs + this.#times.maxMs - this.#clock.monotonicMs());
  }

  close(key: string): void {
    this.#bursts.delete(key);
  }
}
