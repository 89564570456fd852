// Writes that a test takes for granted, and what it then looks for.

import assert from "node:assert/strict";
import type { RangeQuery, Revision, Store, StoredValue, WriteResult } from "../store.ts";

/** The revision of a write that must have found the key as expected. */
export async function mustWrite(write: Promise<WriteResult>): Promise<Revision> {
  const result = await write;
  assert.ok(result.ok, "the key was as expected");
  return result.revision;
}

/** One after another; the value of each is its key. */
export async function createAll(store: Store, keys: readonly string[]): Promise<Revision[]> {
  const revisions: Revision[] = [];
  for (const key of keys) revisions.push(await mustWrite(store.create(key, bytes(key))));
  return revisions;
}

export function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

export function text(value: Uint8Array | undefined): string {
  return new TextDecoder().decode(value);
}

interface ExpectedItem {
  readonly key: string;
  readonly text: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
}

export function assertItem(item: StoredValue | undefined, expected: ExpectedItem): void {
  assert.ok(item !== undefined, `${expected.key} exists`);
  const { key, value, revision, createRevision } = item;
  assert.deepEqual({ key, text: text(value), revision, createRevision }, expected);
}

/** Creates the key, or updates the revision that it has. */
export function put(
  store: Store,
  key: string,
  content: string,
  expected: Revision | undefined,
): Promise<Revision> {
  const value = bytes(content);
  return mustWrite(
    expected === undefined ? store.create(key, value) : store.update(key, value, expected),
  );
}

export async function keysOf(store: Store, query: RangeQuery): Promise<string[]> {
  return (await store.range(query)).items.map(({ key }) => key);
}
