// Objects by key, and by whatever indexes say. Holds one version of each; knows nothing of servers.

import type { ApiObject } from "../api/object.ts";
import { keyOf } from "./reflector.ts";

/** Under which values an object is found. */
export type Indexer<T> = (object: T) => readonly string[];

export class InformerStore<T extends ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexers: Readonly<Record<string, Indexer<T>>>;
  /** Index, value, keys. A value without keys is not kept. */
  readonly #indexes = new Map<string, Map<string, Set<string>>>();

  constructor(indexers: Readonly<Record<string, Indexer<T>>>) {
    this.#indexers = indexers;
    for (const index of Object.keys(indexers)) this.#indexes.set(index, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): MapIterator<T> {
    return this.#objects.values();
  }

  keys(): MapIterator<string> {
    return this.#objects.keys();
  }

  /** In no order. Throws for an index that there is not. */
  byIndex(index: string, value: string): readonly T[] {
    const values = this.#indexes.get(index);
    if (values === undefined)
      throw new Error(`Cannot look up ${value}: there is no index ${index}`);
    return [...(values.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? []);
  }

  set(object: T): void {
    const key = keyOf(object);
    this.delete(key);
    this.#objects.set(key, object);
    this.#eachValue(object, (values, value) => {
      const keys = values.get(value) ?? new Set();
      values.set(value, keys.add(key));
    });
  }

  delete(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    this.#eachValue(object, (values, value) => {
      const keys = values.get(value);
      keys?.delete(key);
      if (keys?.size === 0) values.delete(value);
    });
  }

  #eachValue(object: T, visit: (values: Map<string, Set<string>>, value: string) => void): void {
    for (const [index, values] of this.#indexes) {
      for (const value of this.#indexers[index]?.(object) ?? []) visit(values, value);
    }
  }
}
