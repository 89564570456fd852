// Starts what is to be done at the end of the turn of the event loop in which it was asked for, so that all reasons of one turn are
// one reason. Most work is a burst of system calls without a wait: it is done back to back, and other parts of the process get
// their turn now and then. Work that does wait is bounded, and leaves room for what is urgent.

import type { Clock } from "../../base/clock.ts";

export interface TurnQueueOptions<T> {
  readonly clock: Clock;
  /** Calls back at the end of this turn of the event loop: setImmediate. */
  readonly onNextTurn: (callback: () => void) => void;
  /** Does not throw. One item is never with it twice at a time if the caller sees to that. */
  readonly perform: (item: T) => Promise<void>;
}

// A heartbeat that is this late is not late.
const TURN_MS = 10;
// Work that does not wait runs one after the other anyway; more than a few at once would only make a turn longer than it should be.
const STARTS_AT_ONCE = 8;
// For servers' and memory's sake.
const MAX_RUNNING = 64;
// A server that answers nobody holds up all that wait for it; a change has its data here already and must not wait behind them.
const MAX_ROUTINE_RUNNING = 48;

export class TurnQueue<T> {
  readonly #options: TurnQueueOptions<T>;
  /** First in, first out, each item once, and in one of the two at most. Bounded by the number of items that there are. */
  readonly #urgent = new Set<T>();
  readonly #routine = new Set<T>();
  /** How many run; the promises are there to wait for their end. */
  #count = 0;
  readonly #running = new Set<Promise<void>>();
  /** Started in this turn and not done yet. */
  #startedInTurn = 0;
  /** Counts turns of ours, so that work knows whether it ended in the one in which it began. */
  #turn = 0;
  #turnStartMs = 0;
  #isTurnPlanned = false;
  #isOpen = false;

  constructor(options: TurnQueueOptions<T>) {
    this.#options = options;
  }

  open(): void {
    this.#isOpen = true;
    this.#planTurn();
  }

  /** Starts nothing more. Settles when all that runs has ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.all(this.#running);
  }

  /** Once is enough: an item that waits is not added again, but may become urgent. */
  add(item: T, urgency: "urgent" | "routine"): void {
    if (urgency === "urgent") {
      this.#routine.delete(item);
      this.#urgent.add(item);
    } else if (!this.#urgent.has(item)) {
      this.#routine.add(item);
    }
    this.#planTurn();
  }

  delete(item: T): void {
    this.#urgent.delete(item);
    this.#routine.delete(item);
  }

  #planTurn(): void {
    if (this.#isTurnPlanned || !this.#isOpen) return;
    this.#isTurnPlanned = true;
    this.#options.onNextTurn(() => {
      this.#isTurnPlanned = false;
      this.#turn++;
      this.#turnStartMs = this.#options.clock.monotonicMs();
      this.#startedInTurn = 0;
      this.#start();
    });
  }

  #start(): void {
    while (this.#isOpen) {
      const waiting = this.#next();
      if (!waiting) return;
      if (this.#startedInTurn >= STARTS_AT_ONCE || this.#isTurnOver()) {
        this.#planTurn();
        return;
      }
      const [item] = waiting;
      this.delete(item as T);
      const running = this.#perform(item as T).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  #isTurnOver(): boolean {
    return this.#options.clock.monotonicMs() - this.#turnStartMs >= TURN_MS;
  }

  /** The queue whose first may start now. */
  #next(): Set<T> | undefined {
    if (this.#urgent.size > 0 && this.#count < MAX_RUNNING) return this.#urgent;
    return this.#routine.size > 0 && this.#count < MAX_ROUTINE_RUNNING ? this.#routine : undefined;
  }

  async #perform(item: T): Promise<void> {
    const turn = this.#turn;
    this.#startedInTurn++;
    this.#count++;
    await this.#options.perform(item);
    this.#count--;
    if (turn === this.#turn) this.#startedInTurn--;
    this.#start();
  }
}
