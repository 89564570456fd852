// How soon a daemon that failed on a node is replaced: at once the first time, then after pauses that double. A pod that the node
// refuses would otherwise be made and refused as fast as the two can talk.

import type { Clock } from "../../base/clock.ts";

const BASE_MS = 1000;
const MAX_MS = 15 * 60_000;
/** What did not fail for so long has settled. */
const FORGET_MS = 2 * MAX_MS;

interface Pause {
  readonly atMs: number;
  readonly ms: number;
}

export class FailedPodsBackoff {
  readonly #clock: Clock;
  /** Those that came last are last. */
  readonly #pauses = new Map<string, Pause>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How much of the pause of `key` is left. If none is, the next one begins: the caller replaces the pod now. */
  takeMs(key: string): number {
    const nowMs = this.#clock.monotonicMs();
    this.#forget(nowMs);
    const held = this.#pauses.get(key);
    const leftMs = held === undefined ? 0 : held.atMs + held.ms - nowMs;
    if (leftMs > 0) return leftMs;
    this.#pauses.delete(key);
    const ms = held === undefined ? BASE_MS : Math.min(MAX_MS, 2 * held.ms);
    this.#pauses.set(key, { atMs: nowMs, ms });
    return 0;
  }

  #forget(nowMs: number): void {
    for (const [key, { atMs }] of this.#pauses) {
      if (nowMs - atMs <= FORGET_MS) break;
      this.#pauses.delete(key);
    }
  }
}
