// Lists of values in a form that crosses cheaply from one thread to another.

import type { StoredValue, StoreEvent } from "../store.ts";
import { type Chunks, PackedReader, packBytes } from "./packed-bytes.ts";

export interface PackedItems {
  readonly keys: readonly string[];
  /** Three for each: revision, revision of the creation, length of the value. All 0 where there is none. */
  readonly numbers: BigInt64Array;
  readonly chunks: Chunks;
}

export function packItems(items: readonly StoredValue[]): PackedItems {
  const keys = items.map(({ key }) => key);
  return { keys, ...packValues(items) };
}

export function unpackItems({ keys, ...packed }: PackedItems): StoredValue[] {
  const values = new ValueReader(packed);
  // There are as many values as keys, and each of them exists.
  return keys.flatMap((key) => values.next(key) ?? []);
}

export interface PackedEvents {
  readonly keys: readonly string[];
  readonly revisions: BigInt64Array;
  /** For each event the value, then the one before. */
  readonly values: PackedValues;
}

export function packEvents(events: readonly StoreEvent[]): PackedEvents {
  return {
    keys: events.map(({ key }) => key),
    revisions: BigInt64Array.from(events, ({ revision }) => revision),
    values: packValues(events.flatMap(({ value, previous }) => [value, previous])),
  };
}

export function unpackEvents({ keys, revisions, values }: PackedEvents): StoreEvent[] {
  const reader = new ValueReader(values);
  return keys.map((key, i) => {
    const value = reader.next(key);
    const previous = reader.next(key);
    const revision = revisions[i] ?? 0n;
    return { type: value === undefined ? "delete" : "put", key, revision, value, previous };
  });
}

export type PackedValues = Omit<PackedItems, "keys">;
type Value = Omit<StoredValue, "key">;

/** Their keys are known to the other side. */
export function packValues(items: readonly (Value | undefined)[]): PackedValues {
  const numbers = new BigInt64Array(items.length * 3);
  const values: Uint8Array[] = [];
  items.forEach((item, i) => {
    if (item === undefined) return;
    numbers[i * 3] = item.revision;
    numbers[i * 3 + 1] = item.createRevision;
    numbers[i * 3 + 2] = BigInt(item.value.length);
    values.push(item.value);
  });
  return { numbers, chunks: packBytes(values) };
}

/** Gives back the values in the order in which they were packed. */
export class ValueReader {
  readonly #numbers: BigInt64Array;
  readonly #bytes: PackedReader;
  #at = 0;

  constructor({ numbers, chunks }: PackedValues) {
    this.#numbers = numbers;
    this.#bytes = new PackedReader(chunks);
  }

  next(key: string): StoredValue | undefined {
    const at = this.#at;
    this.#at += 3;
    const revision = this.#numbers[at] ?? 0n;
    if (revision === 0n) return undefined;
    const value = this.#bytes.take(Number(this.#numbers[at + 2]));
    return { key, value, revision, createRevision: this.#numbers[at + 1] ?? 0n };
  }
}
