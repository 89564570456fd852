// What cannot be judged because it names kinds that are not served; it waits until others are. Whatever leaves the graph meanwhile is
// swept out now and then, so that there are never more than twice as many as the graph has nodes, or a thousand.

const SWEEP_FROM = 1000;

export class ParkedNodes {
  readonly #isThere: (uid: string) => boolean;
  /** Keys by uid. */
  readonly #keys = new Map<string, string>();
  #sweepAt = SWEEP_FROM;

  /** `isThere`: whether the graph has such a node. */
  constructor(isThere: (uid: string) => boolean) {
    this.#isThere = isThere;
  }

  get size(): number {
    return this.#keys.size;
  }

  add(uid: string, key: string): void {
    this.#keys.set(uid, key);
    if (this.#keys.size < this.#sweepAt) return;
    for (const parked of this.#keys.keys()) {
      if (!this.#isThere(parked)) this.#keys.delete(parked);
    }
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#keys.size);
  }

  /** All keys; then none is left. */
  takeAll(): readonly string[] {
    const keys = [...this.#keys.values()];
    this.#keys.clear();
    this.#sweepAt = SWEEP_FROM;
    return keys;
  }
}
