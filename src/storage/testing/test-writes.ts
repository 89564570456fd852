// Writes that a test takes for granted.

import assert from "node:assert/strict";
import type { Revision, Store, WriteResult } from "../store.ts";

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
