// How many of something each node has, for many somethings.

/** Node, count. */
export type CountsByNode = ReadonlyMap<string, number>;

const none: CountsByNode = new Map();

export class NodeCounts {
  /** By key; neither a key without nodes nor a count of 0 is kept. */
  readonly #counts = new Map<string, Map<string, number>>();

  of(key: string): CountsByNode {
    return this.#counts.get(key) ?? none;
  }

  /** Says whether the key is new, or has gone. */
  add(key: string, node: string, amount: 1 | -1): boolean {
    const held = this.#counts.get(key);
    const counts = held ?? new Map<string, number>();
    const count = (counts.get(node) ?? 0) + amount;
    if (count === 0) counts.delete(node);
    else counts.set(node, count);
    if (counts.size === 0) return this.#counts.delete(key);
    this.#counts.set(key, counts);
    return held === undefined;
  }

  delete(key: string): void {
    this.#counts.delete(key);
  }
}
