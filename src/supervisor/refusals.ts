// Versions that are not to be used: refused ones until something else is wanted, and those that could not be used just now for a while.

import { Backoff } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";

const DELAYS = { baseMs: 500, factor: 2, maxMs: 60_000, jitter: 0.2, resetAfterMs: Infinity };

export class Refusals {
  readonly #backoff: Backoff;
  #refused: string | undefined;
  /** Until somebody says that its time has come: timers and clocks do not agree to the millisecond. */
  #postponed: string | undefined;

  constructor(parts: { readonly clock: Clock; readonly random: Random }) {
    this.#backoff = new Backoff({ ...DELAYS, ...parts });
  }

  /** It is not tried again before another one was wanted. */
  refuse(version: string): void {
    this.#refused = version;
  }

  isRefused(version: string): boolean {
    return this.#refused === version;
  }

  /** Not now, but after the time that is returned, when resume() is called. */
  postpone(version: string): number {
    this.#postponed = version;
    return Math.round(this.#backoff.nextMs());
  }

  resume(version: string): void {
    if (version === this.#postponed) this.#postponed = undefined;
  }

  /** Something worked: the next delay is a short one. */
  succeeded(): void {
    this.#backoff.reset();
    this.#postponed = undefined;
  }

  /** Whether this version must wait for something. */
  keeps(version: string | undefined): boolean {
    return version !== undefined && (version === this.#postponed || version === this.#refused);
  }

  /** What was refused may come again after this one. Returns whether there was something to forget. */
  wanted(version: string | undefined): boolean {
    if (this.#refused === undefined || version === this.#refused) return false;
    this.#refused = undefined;
    return true;
  }

  /** This one has shown that it is good. Returns whether it was refused. */
  relent(version: string): boolean {
    if (version !== this.#refused) return false;
    this.#refused = undefined;
    return true;
  }
}
