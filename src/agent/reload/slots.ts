// So many at once, and of each owner only a few, so that one whose work hangs keeps nobody else waiting. Among those who wait the owner that
// has least comes first. A slot is a Disposable:
//   using _slot = await slots.take(podUid, signal);

import { addAbortListener } from "node:events";

export interface SlotLimits {
  readonly total: number;
  readonly perOwner: number;
}

interface Waiting {
  readonly owner: string;
  readonly serve: () => void;
}

export class Slots {
  readonly #limits: SlotLimits;
  /** By owner; those that have none are not here. */
  readonly #taken = new Map<string, number>();
  #total = 0;
  /** In the order in which they came. None of them could be served now. */
  readonly #waiting = new Set<Waiting>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Rejects with the signal's reason when `signal` aborts while waiting. */
  async take(owner: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#hasRoom(owner)) this.#count(owner, 1);
    else await this.#turn(owner, signal);
    return { [Symbol.dispose]: () => this.#release(owner) };
  }

  async #turn(owner: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { owner, serve: resolve };
    this.#waiting.add(waiting);
    using _listener = addAbortListener(signal, () => {
      // Gone from the set means served: the slot is on its way and an abort comes too late.
      if (this.#waiting.delete(waiting)) reject(signal.reason);
    });
    await promise;
  }

  /** Hands over without letting go in between, or a newcomer could overtake those who wait. */
  #release(owner: string): void {
    this.#count(owner, -1);
    const [next] = [...this.#waiting]
      .filter((one) => this.#hasRoom(one.owner))
      .toSorted((a, b) => this.#of(a.owner) - this.#of(b.owner));
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#count(next.owner, 1);
    next.serve();
  }

  #hasRoom(owner: string): boolean {
    const { total, perOwner } = this.#limits;
    return this.#total < total && this.#of(owner) < perOwner;
  }

  #of(owner: string): number {
    return this.#taken.get(owner) ?? 0;
  }

  #count(owner: string, change: 1 | -1): void {
    const taken = this.#of(owner) + change;
    this.#total += change;
    if (taken === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, taken);
  }
}
