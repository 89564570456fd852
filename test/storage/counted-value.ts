// Values that say which they are and whether they are whole: key, number, then padding that follows from both.

import assert from "node:assert/strict";
import type { StoredValue } from "../../src/storage/store.ts";

/** The `count`th value of a key. Lengths vary from nothing much to several pages of a database. */
export function countedValue(key: string, count: number): Uint8Array {
  const head = `${key} ${count} `;
  return Buffer.from(head + head.repeat((count * 37) % 400));
}

/** Throws unless the value is whole and belongs to its key. */
export function countOf({ key, value }: StoredValue): number {
  const text = Buffer.from(value).toString();
  const count = Number(text.split(" ")[1]);
  assert.equal(text, Buffer.from(countedValue(key, count)).toString(), `${key} is whole`);
  return count;
}
