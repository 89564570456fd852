// When each of many things is due, with one timer for all. A binary heap that knows where each thing is in it, so that moving one
// costs as little as adding one, and nothing that was moved is left behind.

import type { Clock } from "../../base/clock.ts";

interface Entry<T> {
  readonly item: T;
  dueMs: number;
  /** Where it is in the heap. */
  index: number;
}

export interface TimetableOptions<T> {
  readonly clock: Clock;
  readonly onDue: (item: T) => void;
}

export class Timetable<T> {
  readonly #options: TimetableOptions<T>;
  /** Nothing is due before the one at half its index. */
  readonly #heap: Entry<T>[] = [];
  /** The same entries as #heap. */
  readonly #entries = new Map<T, Entry<T>>();
  /** Set only while open. Fires when the first is due or before, never after. */
  #timer: { readonly atMs: number; readonly handle: Disposable } | undefined;
  #isOpen = false;

  constructor(options: TimetableOptions<T>) {
    this.#options = options;
  }

  /** From now on due things are told of. */
  open(): void {
    this.#isOpen = true;
    this.#arm();
  }

  /** What is in it stays, and is not told of. */
  close(): void {
    this.#isOpen = false;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Monotonic time at which it is due. */
  get(item: T): number | undefined {
    return this.#entries.get(item)?.dueMs;
  }

  /** Takes the place of what was said about it before. A time that is no number of this world takes it out. */
  set(item: T, dueMs: number): void {
    if (!Number.isFinite(dueMs)) {
      this.delete(item);
      return;
    }
    const known = this.#entries.get(item);
    if (known) {
      known.dueMs = dueMs;
      this.#settle(known);
    } else {
      const entry = { item, dueMs, index: this.#heap.length };
      this.#heap.push(entry);
      this.#entries.set(item, entry);
      this.#settle(entry);
    }
    this.#arm();
  }

  delete(item: T): void {
    const entry = this.#entries.get(item);
    if (!entry) return;
    this.#entries.delete(item);
    const last = this.#heap.pop();
    if (last && last !== entry) {
      this.#put(last, entry.index);
      this.#settle(last);
    }
  }

  /** A timer that fires too early costs less than moving it each time that the first moves away. */
  #arm(): void {
    const first = this.#heap[0];
    if (!(this.#isOpen && first)) return;
    if (this.#timer && this.#timer.atMs <= first.dueMs) return;
    this.#timer?.handle[Symbol.dispose]();
    const { clock } = this.#options;
    const delayMs = Math.max(0, first.dueMs - clock.monotonicMs());
    this.#timer = { atMs: first.dueMs, handle: clock.schedule(delayMs, () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const nowMs = this.#options.clock.monotonicMs();
    for (let first = this.#heap[0]; first && first.dueMs <= nowMs; first = this.#heap[0]) {
      this.delete(first.item);
      this.#options.onDue(first.item);
    }
    this.#arm();
  }

  #settle(entry: Entry<T>): void {
    for (let above = this.#above(entry); above && above.dueMs > entry.dueMs; ) {
      this.#swap(entry, above);
      above = this.#above(entry);
    }
    for (let below = this.#firstBelow(entry); below && below.dueMs < entry.dueMs; ) {
      this.#swap(entry, below);
      below = this.#firstBelow(entry);
    }
  }

  #above({ index }: Entry<T>): Entry<T> | undefined {
    return index === 0 ? undefined : this.#heap[(index - 1) >> 1];
  }

  #firstBelow({ index }: Entry<T>): Entry<T> | undefined {
    const left = this.#heap[2 * index + 1];
    const right = this.#heap[2 * index + 2];
    return left && right && right.dueMs < left.dueMs ? right : left;
  }

  #swap(a: Entry<T>, b: Entry<T>): void {
    const { index } = a;
    this.#put(a, b.index);
    this.#put(b, index);
  }

  #put(entry: Entry<T>, index: number): void {
    entry.index = index;
    this.#heap[index] = entry;
  }
}
