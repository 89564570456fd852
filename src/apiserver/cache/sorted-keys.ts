// Keys in the order in which lists show them: bytewise. They lie in short arrays, one after the other, and all of
// them are found by bisection: a new key moves the few that share its array, however many there are in all.

import { firstIndex } from "../../base/bisect.ts";

/** Moving so many pointers costs less than finding the place. */
const MAX_CHUNK_KEYS = 512;

/** A key's place; behind the last key there is none. */
interface Place {
  readonly chunk: number;
  readonly at: number;
}

export class SortedKeys {
  /** Never empty, each of them and one after the other sorted by `compareKeys`; no key twice. */
  #chunks: string[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#chunks = [];
    this.#size = 0;
  }

  /** The key is not there yet. */
  insert(key: string): void {
    this.#size++;
    const { chunk, at } = this.#placeToInsert(key);
    const keys = this.#chunks[chunk];
    if (keys === undefined) {
      this.#chunks.push([key]);
      return;
    }
    keys.splice(at, 0, key);
    if (keys.length <= MAX_CHUNK_KEYS) return;
    // Keys that come in order leave full arrays behind them.
    const kept = at === keys.length - 1 ? at : keys.length >>> 1;
    this.#chunks.splice(chunk + 1, 0, keys.splice(kept));
  }

  remove(key: string): void {
    const { chunk, at } = this.#firstAtOrAfter(key);
    const keys = this.#chunks[chunk];
    if (keys?.[at] !== key) return;
    this.#size--;
    keys.splice(at, 1);
    if (keys.length === 0) this.#chunks.splice(chunk, 1);
  }

  /** All keys that begin with the prefix, after `after`. Nothing may come or go meanwhile. */
  *from(prefix: string, after = ""): Generator<string> {
    const isLater = after !== "" && compareKeys(after, prefix) >= 0;
    let { chunk, at } = this.#firstAtOrAfter(isLater ? after : prefix);
    if (isLater && this.#chunks[chunk]?.[at] === after) at++;
    for (; chunk < this.#chunks.length; chunk++, at = 0) {
      const keys = this.#chunks[chunk] ?? [];
      for (; at < keys.length; at++) {
        const key = keys[at] ?? "";
        if (!key.startsWith(prefix)) return;
        yield key;
      }
    }
  }

  /** At the end of an array rather than at the start of the next. */
  #placeToInsert(key: string): Place {
    const place = this.#firstAtOrAfter(key);
    const before = this.#chunks[place.chunk - 1];
    if (place.at > 0 || before === undefined) return place;
    return { chunk: place.chunk - 1, at: before.length };
  }

  #firstAtOrAfter(key: string): Place {
    const chunk = firstIndex(this.#chunks, (keys) => compareKeys(keys.at(-1) ?? "", key) >= 0);
    const keys = this.#chunks[chunk] ?? [];
    return { chunk, at: firstIndex(keys, (other) => compareKeys(other, key) >= 0) };
  }
}

/**
 * Names in keys are ASCII, where code units and bytes have the same order; only field values could be anything,
 * and they are not in keys.
 */
function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
