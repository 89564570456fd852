// What still has to be looked at, as keys. A key that is added many times before its turn is worked on once; one that is added while
// it is worked on gets another turn after that, so no two workers ever have the same key. Turns go round the groups (namespaces): ten
// thousand changes in one do not keep another waiting.
//
// Invariants: a key is in at most one group's line; a key that is worked on is in no line; `#again` holds only keys that are worked on.

import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** The first retry of a key comes after about this long, each further one after twice as long. */
const BASE_MS = 5;
const MAX_MS = 30_000;
/** The share of a retry's delay that is left to chance, so that what failed together does not come back together. */
const JITTER = 0.2;

interface Delayed {
  readonly dueMs: number;
  readonly timer: Disposable;
}

export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  /** Keys that wait, by group; the group whose turn is next comes first. A group without keys is not kept. */
  readonly #lines = new Map<string, Set<string>>();
  readonly #working = new Set<string>();
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  /** Takers that wait; not empty only while no key does. */
  readonly #takers: ((key: string) => void)[] = [];
  #size = 0;

  constructor({ clock, random }: WorkQueueOptions) {
    this.#clock = clock;
    this.#random = random;
  }

  /** How many keys wait for their turn, those that are delayed not counted. */
  get size(): number {
    return this.#size;
  }

  /** How many keys wait for their time. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** Nothing waits, is delayed or is worked on. */
  get isIdle(): boolean {
    return this.#size + this.#delayed.size + this.#working.size === 0;
  }

  add(key: string): void {
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    const taker = this.#isWaiting(key) ? undefined : this.#takers.shift();
    if (taker !== undefined) {
      this.#working.add(key);
      taker(key);
      return;
    }
    const group = groupOf(key);
    const line = this.#lines.get(group) ?? new Set();
    if (!line.has(key)) this.#size++;
    this.#lines.set(group, line.add(key));
  }

  /** Adds it when the time has passed. Of several times for one key the earliest counts. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const dueMs = this.#clock.monotonicMs() + ms;
    const held = this.#delayed.get(key);
    if (held !== undefined && held.dueMs <= dueMs) return;
    held?.timer[Symbol.dispose]();
    const timer = this.#clock.schedule(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { dueMs, timer });
  }

  /** Adds it after a time that doubles with each call until `forget`. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const fullMs = Math.min(MAX_MS, BASE_MS * 2 ** failures);
    this.addAfter(key, fullMs * (1 - JITTER * this.#random.next()));
  }

  /** It went well: the next retry is a first one. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** How often it was rate limited since it was forgotten. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, which is the caller's until `done`. Rejects with the signal's reason when it aborts. */
  async take(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const next = this.#next();
    if (next !== undefined) return next;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#takers.splice(this.#takers.indexOf(taker), 1);
        reject(signal.reason as Error);
      };
      const taker = (key: string): void => {
        signal.removeEventListener("abort", onAbort);
        resolve(key);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#takers.push(taker);
    });
  }

  done(key: string): void {
    this.#working.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Forgets all that waits. */
  clear(): void {
    for (const { timer } of this.#delayed.values()) timer[Symbol.dispose]();
    this.#delayed.clear();
    this.#lines.clear();
    this.#again.clear();
    this.#failures.clear();
    this.#size = 0;
  }

  #next(): string | undefined {
    for (const [group, line] of this.#lines) {
      for (const key of line) {
        line.delete(key);
        // The group goes to the end of the round.
        this.#lines.delete(group);
        if (line.size > 0) this.#lines.set(group, line);
        this.#size--;
        this.#working.add(key);
        return key;
      }
    }
    return undefined;
  }

  #isWaiting(key: string): boolean {
    return this.#lines.get(groupOf(key))?.has(key) === true;
  }
}

/** The namespace of "namespace/name". */
function groupOf(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}
