// Wall time in nanoseconds, as log lines carry it. The clock gives whole milliseconds; what is below one comes from the
// monotonic clock, tied to the wall clock anew whenever the two have drifted apart (NTP, a jump, a suspended machine).

import type { Clock } from "../../base/clock.ts";

/** Further apart than this and the wall clock has moved: reading both takes far less. */
const MAX_DRIFT_MS = 2;
const NS_PER_MS = 1_000_000;

export class WallTime {
  readonly #clock: Clock;
  /** What to add to the monotonic time to have the time of the day. */
  #offsetMs: number;
  #second = -1;
  #secondText = "";

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = clock.now() - clock.monotonicMs();
  }

  /** RFC 3339 in UTC with all nine digits: "2026-11-16T05:58:56.123456789Z". */
  stamp(): string {
    const nowMs = this.#clock.now();
    const monotonicMs = this.#clock.monotonicMs();
    if (Math.abs(monotonicMs + this.#offsetMs - nowMs) > MAX_DRIFT_MS) {
      this.#offsetMs = nowMs - monotonicMs;
    }
    const exactMs = monotonicMs + this.#offsetMs;
    const wholeMs = Math.floor(exactMs);
    const second = Math.floor(wholeMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#secondText = new Date(second * 1000).toISOString().slice(0, 19);
    }
    const ns = (wholeMs - second * 1000) * NS_PER_MS + Math.floor((exactMs - wholeMs) * NS_PER_MS);
    return `${this.#secondText}.${String(ns).padStart(9, "0")}Z`;
  }

  /** As rotated files are named: "20261116-055856". */
  fileStamp(secondsLater: number): string {
    const text = new Date(this.#clock.now() + secondsLater * 1000).toISOString();
    return text.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  }
}
