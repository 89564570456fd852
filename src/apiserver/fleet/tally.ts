// Counts what objects of a kind stand for. What changes is noted when it does and looked at when somebody wants the numbers.

import type { CachedObject } from "../cache/cached-object.ts";
import type { Follower, KindCache } from "../cache/kind-cache.ts";

export class Tally implements Follower {
  readonly #cache: KindCache;
  readonly #labelsOf: (object: CachedObject) => readonly string[];
  /** What each object was counted as, by key; never empty lists. */
  readonly #counted = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();
  /** Keys to look at again. Those of objects that are gone are here only as long as they are counted. */
  readonly #changed = new Set<string>();

  /** An object counts once for each of its labels, also for one that it has twice. */
  constructor(cache: KindCache, labelsOf: (object: CachedObject) => readonly string[]) {
    this.#cache = cache;
    this.#labelsOf = labelsOf;
    cache.follow(this);
  }

  reset(objects: Iterable<CachedObject>): void {
    this.#counted.clear();
    this.#counts.clear();
    this.#changed.clear();
    for (const { key } of objects) this.#changed.add(key);
  }

  changed(now: CachedObject | undefined, before: CachedObject | undefined): void {
    const key = (now ?? before)?.key ?? "";
    if (now === undefined && !this.#counted.has(key)) this.#changed.delete(key);
    else this.#changed.add(key);
  }

  /** By label, as it is now. */
  counts(): ReadonlyMap<string, number> {
    for (const key of this.#changed) this.#count(key);
    this.#changed.clear();
    return this.#counts;
  }

  /** Of those that had a label when they were last counted. */
  keys(): MapIterator<string> {
    return this.#counted.keys();
  }

  #count(key: string): void {
    const object = this.#cache.get(key);
    const labels = object === undefined ? [] : this.#labelsOf(object);
    for (const label of this.#counted.get(key) ?? []) this.#add(label, -1);
    for (const label of labels) this.#add(label, 1);
    if (labels.length === 0) this.#counted.delete(key);
    else this.#counted.set(key, labels);
  }

  #add(label: string, by: number): void {
    const count = (this.#counts.get(label) ?? 0) + by;
    if (count === 0) this.#counts.delete(label);
    else this.#counts.set(label, count);
  }
}
