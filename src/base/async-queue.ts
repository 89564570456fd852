// A bounded queue between producers and one consumer that reads it with `for await`. The bound is the
// point: what happens when the consumer is slow is chosen when the queue is made, not discovered later.

import { addAbortListener } from "node:events";

/**
 * What push() does when the queue is full.
 * - wait: it returns a promise that resolves when there is room again.
 * - dropOldest: it throws away the oldest item, and counts it.
 * - fail: it throws a QueueFullError, and the queue stays as it is.
 */
export type WhenFull = "wait" | "dropOldest" | "fail";

type Pushed<P extends WhenFull> = P extends "wait" ? Promise<void> : undefined;

/** Thrown by push() on a full queue whose policy is "fail". */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
}

interface Waiter<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

type State =
  | { readonly kind: "open" }
  | { readonly kind: "closed" }
  | { readonly kind: "aborted"; readonly reason: unknown };

export interface AsyncQueueOptions<P extends WhenFull> {
  readonly capacity: number;
  readonly whenFull: P;
}

/** First in, first out. One consumer: a second iterator is refused. */
export class AsyncQueue<T, P extends WhenFull> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #whenFull: WhenFull;
  /** Never more than the capacity. */
  readonly #items: T[] = [];
  /** Pushes that wait for room, in order. Not empty only while #items is full. */
  readonly #waiters: Waiter<T>[] = [];
  #state: State = { kind: "open" };
  #dropped = 0;
  #hasConsumer = false;
  /** Set only while the consumer waits for an item or for the end. */
  #wakeConsumer: (() => void) | undefined;

  constructor({ capacity, whenFull }: AsyncQueueOptions<P>) {
    this.#capacity = capacity;
    this.#whenFull = whenFull;
  }

  get size(): number {
    return this.#items.length;
  }

  /** How many items were thrown away because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Adds an item. Throws once the queue is closed or aborted (with "wait": rejects). `signal` ends the
   * wait for room, and the item is then not in the queue.
   */
  push(item: T, signal?: AbortSignal): Pushed<P> {
    return (
      this.#whenFull === "wait" ? this.#pushOrWait(item, signal) : this.#pushNow(item)
    ) as Pushed<P>;
  }

  /** Takes no more items, not those that wait for room either. The consumer gets what is in, then the end. */
  close(): void {
    this.#end({ kind: "closed" });
  }

  /** Throws away all items. The consumer and every later or waiting push get `reason` thrown. */
  abort(reason: unknown): void {
    this.#end({ kind: "aborted", reason });
    this.#items.length = 0;
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    if (this.#hasConsumer) {
      throw new Error("Cannot iterate over the queue: it has a consumer already");
    }
    this.#hasConsumer = true;
    return this.#consume();
  }

  async *#consume(): AsyncGenerator<T, void, void> {
    try {
      for (;;) {
        if (this.#items.length > 0) {
          yield this.#take();
        } else if (this.#state.kind === "open") {
          await new Promise<void>((resolve) => {
            this.#wakeConsumer = resolve;
          });
        } else {
          break;
        }
      }
      if (this.#state.kind === "aborted") {
        throw this.#state.reason;
      }
    } finally {
      // A consumer that left early never comes back: producers must not wait for it.
      this.close();
      this.#items.length = 0;
    }
  }

  #take(): T {
    const item = this.#items.shift() as T;
    const waiter = this.#waiters.shift();
    if (waiter) {
      this.#items.push(waiter.item);
      waiter.resolve();
    }
    return item;
  }

  #pushNow(item: T): void {
    this.#throwIfEnded();
    if (this.#items.length >= this.#capacity) {
      if (this.#whenFull === "fail") {
        throw new QueueFullError(`Cannot push: the queue holds ${this.#capacity} items already`);
      }
      this.#items.shift();
      this.#dropped++;
    }
    this.#add(item);
  }

  async #pushOrWait(item: T, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#throwIfEnded();
    if (this.#items.length < this.#capacity) {
      this.#add(item);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { item, resolve, reject };
    this.#waiters.push(waiter);
    using _listener =
      signal &&
      addAbortListener(signal, () => {
        const index = this.#waiters.indexOf(waiter);
        if (index >= 0) {
          this.#waiters.splice(index, 1);
        }
        reject(signal.reason);
      });
    await promise;
  }

  #add(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  #wake(): void {
    this.#wakeConsumer?.();
    this.#wakeConsumer = undefined;
  }

  #throwIfEnded(): void {
    if (this.#state.kind === "aborted") {
      throw this.#state.reason;
    }
    if (this.#state.kind === "closed") {
      throw closedError();
    }
  }

  #end(state: State): void {
    // An abort may follow a close (the consumer should not drain after all), but not the reverse.
    if (this.#state.kind === "aborted") {
      return;
    }
    this.#state = state;
    for (const waiter of this.#waiters.splice(0)) {
      waiter.reject(state.kind === "aborted" ? state.reason : closedError());
    }
    this.#wake();
  }
}

function closedError(): Error {
  return new Error("Cannot push: the queue is closed");
}
