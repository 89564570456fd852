// How many bytes may wait at once, of all and of each client: for the rest of a body to come, or for an answer to be
// taken. Waiting costs a client nothing; here it costs memory.

export interface ByteBudgetOptions {
  readonly maxBytes: number;
  /** Of all, that one holder may have. */
  readonly maxShare: number;
}

export class ByteBudget {
  readonly #maxBytes: number;
  readonly #maxEach: number;
  #held = 0;
  /** Only of those who hold something. */
  readonly #byHolder = new Map<string, number>();

  constructor({ maxBytes, maxShare }: ByteBudgetOptions) {
    this.#maxBytes = maxBytes;
    this.#maxEach = maxBytes * maxShare;
  }

  get held(): number {
    return this.#held;
  }

  /** False if there is no room; then nothing is held. Whoever holds nothing yet may always hold one thing. */
  take(holder: string, bytes: number): boolean {
    const own = this.#byHolder.get(holder) ?? 0;
    const isFull = this.#held + bytes > this.#maxBytes || own + bytes > this.#maxEach;
    if (isFull && own > 0) return false;
    this.#held += bytes;
    this.#byHolder.set(holder, own + bytes);
    return true;
  }

  /** What was taken, once. */
  giveBack(holder: string, bytes: number): void {
    this.#held -= bytes;
    const own = (this.#byHolder.get(holder) ?? 0) - bytes;
    if (own > 0) this.#byHolder.set(holder, own);
    else this.#byHolder.delete(holder);
  }
}
