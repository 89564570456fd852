// The seat of one request. It is given up while the request has nothing to do, which is while its body comes: a client
// that sends slowly keeps nobody from being served.

import type { Seat } from "./flow-control.ts";

export class RequestSeat {
  readonly #acquire: () => Seat | Promise<Seat>;
  #seat: Seat | undefined;

  constructor(acquire: () => Seat | Promise<Seat>) {
    this.#acquire = acquire;
  }

  /** Undefined if there was one at once, which is nearly always. Rejects as flow control does. */
  take(): Promise<void> | undefined {
    const seat = this.#acquire();
    if (!(seat instanceof Promise)) {
      this.#seat = seat;
      return undefined;
    }
    return seat.then((taken) => {
      this.#seat = taken;
    });
  }

  /** If it has one. */
  release(): void {
    this.#seat?.release();
    this.#seat = undefined;
  }

  /** Waits without a seat, and takes one again. */
  async without<T>(wait: () => Promise<T>): Promise<T> {
    this.release();
    const value = await wait();
    await this.take();
    return value;
  }
}
