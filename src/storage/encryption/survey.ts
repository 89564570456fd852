// Counts the stored values by the key that has sealed them, without opening any: neither keys nor a lock are needed,
// and it can be done beside a running server.

import { existsSync } from "node:fs";
import { databaseFile } from "../sqlite/data-directory.ts";
import { openForReading, openUnchanging } from "../sqlite/database.ts";
import { LogReader } from "../sqlite/log-reader.ts";
import type { GetResult, RangeQuery, RangeResult, StoredValue } from "../store.ts";
import { type KeyRecord, parseRecord, RECORD_KEY } from "./key-record.ts";
import { sealedBy } from "./sealed-value.ts";

/** Values can have a megabyte, and a page is in memory as a whole. */
const ITEMS_PER_PAGE = 50;

export interface KeyUse {
  /** Undefined in a store that was never encrypted. */
  readonly record: KeyRecord | undefined;
  /** By the id of the key. Only those that there are. */
  readonly byKey: ReadonlyMap<string, number>;
  readonly inClear: number;
  /** Those that are neither sealed nor an object. */
  readonly damaged: number;
}

/** As much of a store as is needed here. */
export interface Readable {
  get(key: string): GetResult | Promise<GetResult>;
  range(query: RangeQuery): RangeResult | Promise<RangeResult>;
}

/** The store itself, not one that decrypts. */
export async function surveyStore(store: Readable, prefixes: readonly string[]): Promise<KeyUse> {
  const { item } = await store.get(RECORD_KEY);
  const counts = new Map<string, number>();
  for (const prefix of prefixes) {
    for await (const { key, value } of valuesBelow(store, prefix)) {
      const by = keyOrDamage(key, value);
      counts.set(by, (counts.get(by) ?? 0) + 1);
    }
  }
  const { none: inClear = 0, damaged = 0, ...byKey } = Object.fromEntries(counts);
  return {
    record: item && parseRecord(item.value),
    byKey: new Map(Object.entries(byKey)),
    inClear,
    damaged,
  };
}

/** Of the SQLite store in a directory, also while a server runs it. */
export async function surveyDirectory(
  directory: string,
  prefixes: readonly string[],
): Promise<KeyUse> {
  const file = databaseFile(directory);
  if (!existsSync(file)) throw new Error(`Cannot read "${file}": there is no such file`);
  const db = openForReading(file);
  try {
    return await surveyStore(new LogReader(db), prefixes);
  } finally {
    db.close();
  }
}

/** The keys without which a backup cannot be read. None for one without encrypted values. */
export function keysOfBackup(file: string): readonly string[] {
  const db = openUnchanging(file);
  try {
    const { item } = new LogReader(db).get(RECORD_KEY);
    return item === undefined ? [] : parseRecord(item.value).keys;
  } finally {
    db.close();
  }
}

/** In the order of keys, a page at a time. */
export async function* valuesBelow(store: Readable, prefix: string): AsyncGenerator<StoredValue> {
  for (let after: string | undefined, more = true; more; ) {
    const from = after === undefined ? {} : { after };
    const { items, remaining } = await store.range({ prefix, ...from, limit: ITEMS_PER_PAGE });
    yield* items;
    after = items.at(-1)?.key ?? after;
    more = remaining > 0;
  }
}

function keyOrDamage(key: string, value: Uint8Array): string {
  try {
    return sealedBy(key, value);
  } catch {
    return "damaged"; // That is what is counted.
  }
}
