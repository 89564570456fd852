// Wall time in nanoseconds, as log lines carry it. The clock gives whole milliseconds; what is below one comes from the
// monotonic clock, tied to the wall clock anew whenever the two have drifted apart (NTP, a jump, a suspended machine).

import type { Clock } from "../../base/clock.ts";

/** Further apart than this and the wall clock has moved. */
const MAX_DRIFT_MS = 2;
/** Whoever was interrupted for longer between the two clocks knows nothing of how far they are apart. */
const MAX_READING_MS = 0.5;
const MAX_READINGS = 100;
const NS_PER_MS = 1_000_000;

export class WallTime {
  readonly #clock: Clock;
  /** What to add to the monotonic time to have the time of the day. */
  #offsetMs: number;
  #second = -1;
  #secondText = "";

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = offsetOf(clock) ?? clock.now() - clock.monotonicMs();
  }

  /** RFC 3339 in UTC with all nine digits: "2026-11-16T05:58:56.123456789Z". */
  stamp(): string {
    const nowMs = this.#clock.now();
    const monotonicMs = this.#clock.monotonicMs();
    if (Math.abs(monotonicMs + this.#offsetMs - nowMs) > MAX_DRIFT_MS) {
      this.#offsetMs = offsetOf(this.#clock) ?? this.#offsetMs;
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
  fileStamp(): string {
    return fileStampAt(this.#clock.now());
  }
}

/** Undefined on a machine that is so busy that both could not be read at once. */
function offsetOf(clock: Clock): number | undefined {
  for (let reading = 0; reading < MAX_READINGS; reading++) {
    const before = clock.monotonicMs();
    const nowMs = clock.now();
    const after = clock.monotonicMs();
    if (after - before <= MAX_READING_MS) return nowMs - after;
  }
  return undefined;
}

/** The one of the second after it, in one step however far it is from now. Throws RangeError if it is of no time. */
export function nextFileStamp(stamp: string): string {
  const text = stamp.replace(/^(....)(..)(..)-(..)(..)(..)$/, "$1-$2-$3T$4:$5:$6Z");
  return fileStampAt(Date.parse(text) + 1000);
}

function fileStampAt(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
