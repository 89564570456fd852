// What was true lately. A controller decides by copies that lag behind, so a promise that depends on what somebody else has just changed
// is held against all that was true within the time that a copy may lag.

import type { Clock } from "../../base/clock.ts";

interface Span<T> {
  readonly value: T;
  readonly fromMs: number;
}

/** Values by key, each valid until the next. */
export class Recent<T> {
  readonly #clock: Clock;
  readonly #windowMs: () => number;
  readonly #spans = new Map<string, Span<T>[]>();

  constructor(clock: Clock, windowMs: () => number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  set(key: string, value: T): void {
    const spans = this.#inWindow(key);
    if (spans.at(-1)?.value !== value) spans.push({ value, fromMs: this.#clock.monotonicMs() });
    this.#spans.set(key, spans);
  }

  /** All that it was within the window; empty if it is not known. */
  of(key: string): readonly T[] {
    return this.#inWindow(key).map(({ value }) => value);
  }

  #inWindow(key: string): Span<T>[] {
    const spans = this.#spans.get(key) ?? [];
    const startMs = this.#clock.monotonicMs() - this.#windowMs();
    const end = (i: number): number => spans[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    return spans.filter((_, i) => end(i) >= startMs);
  }
}

/** How often something happened within the window, by key. */
export class RecentCounts {
  readonly #clock: Clock;
  readonly #windowMs: () => number;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock, windowMs: () => number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  add(key: string): void {
    const times = this.#times.get(key) ?? [];
    times.push(this.#clock.monotonicMs());
    this.#times.set(key, times);
  }

  of(key: string): number {
    const startMs = this.#clock.monotonicMs() - this.#windowMs();
    const times = (this.#times.get(key) ?? []).filter((ms) => ms >= startMs);
    this.#times.set(key, times);
    return times.length;
  }
}
