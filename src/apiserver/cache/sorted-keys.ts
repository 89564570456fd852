// Keys in the order in which lists show them: bytewise. An array with bisection: inserting moves pointers, which
// for 100,000 keys takes microseconds, and a page of a list is a slice.

export class SortedKeys {
  /** Sorted by `compareKeys`, no key twice. */
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  /** The key is not there yet. */
  insert(key: string): void {
    const at = this.#firstAtOrAfter(key);
    if (at === this.#keys.length) this.#keys.push(key);
    else this.#keys.splice(at, 0, key);
  }

  remove(key: string): void {
    const at = this.#firstAtOrAfter(key);
    if (this.#keys[at] === key) this.#keys.splice(at, 1);
  }

  /** All keys that begin with the prefix, after `after`. */
  *from(prefix: string, after = ""): Generator<string> {
    let at = this.#firstAtOrAfter(prefix);
    if (after !== "" && compareKeys(after, prefix) >= 0) {
      at = this.#firstAtOrAfter(after);
      if (this.#keys[at] === after) at++;
    }
    for (; at < this.#keys.length; at++) {
      const key = this.#keys[at] ?? "";
      if (!key.startsWith(prefix)) return;
      yield key;
    }
  }

  #firstAtOrAfter(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#keys[middle] ?? "", key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Names in keys are ASCII, where code units and bytes have the same order; only field values could be anything,
 * and they are not in keys.
 */
function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
