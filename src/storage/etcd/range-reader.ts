// Reads a range in parts, all at the revision of the first, so that one answer never holds gigabytes.

import type { RangeQuery, RangeResult, Revision, StoredValue } from "../store.ts";
import type { EtcdClient } from "./etcd-client.ts";
import { isCompacted } from "./etcd-errors.ts";
import type { KeyRange, Keyspace } from "./keyspace.ts";
import {
  encodeRange,
  etcdRevision,
  type KeyValue,
  type RangeAnswer,
  rangeRpc,
} from "./messages.ts";

/** Before the sizes are known: even of the largest values this is bearable. */
const firstKeys = 128;
const maxKeys = 10_000;
/** What a part should weigh: much more than its overhead, much less than memory. */
const targetBytes = 4 * 2 ** 20;
/** A range of now can lose its revision to a compaction between two parts. Then it starts over. */
const maxStarts = 3;

export async function readRange(
  client: EtcdClient,
  keyspace: Keyspace,
  query: RangeQuery,
): Promise<RangeResult> {
  for (let starts = 1; ; starts++) {
    try {
      return await readParts(client, keyspace, query);
    } catch (err) {
      if (!isCompacted(err) || query.revision !== undefined || starts === maxStarts) throw err;
    }
  }
}

async function readParts(
  client: EtcdClient,
  keyspace: Keyspace,
  query: RangeQuery,
): Promise<RangeResult> {
  const { prefix, after, limit = Number.POSITIVE_INFINITY, revision: asked } = query;
  const items: StoredValue[] = [];
  const range = keyspace.range(prefix, after);
  let key = range.key;
  let revision = asked;
  for (let size = firstKeys; ; ) {
    const wanted = Math.min(size, limit - items.length);
    const part: RangeAnswer = await client.call(
      rangeRpc,
      encodePart({ key, end: range.end }, wanted, revision),
      { what: `list "${prefix}"`, isRepeatable: true },
    );
    revision ??= part.revision;
    for (const item of part.items) items.push(keyspace.stored(item));
    const last = part.items.at(-1);
    const remaining = part.count - part.items.length;
    if (last === undefined || remaining === 0 || items.length >= limit) {
      return { items, revision: asked ?? revision, remaining };
    }
    key = `${last.key}\u0000`;
    size = nextSize(part.items);
  }
}

function encodePart(range: KeyRange, limit: number, revision: Revision | undefined): Buffer {
  return encodeRange({
    ...range,
    ...(limit > 0 ? { limit } : { countOnly: true }),
    ...(revision !== undefined && { revision: etcdRevision(revision) }),
  });
}

function nextSize(items: readonly KeyValue[]): number {
  const bytes = items.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  const fitting = Math.floor((targetBytes * items.length) / Math.max(1, bytes));
  return Math.min(maxKeys, Math.max(1, fitting));
}
