// What the store says about its own keys, under a key that is of no kind, in clear. All servers of a store agree by
// it: which key writes, and which are needed to read what is there, the kept past included. It is written before
// anything is sealed with a new key, so a server that lacks one finds out at its start.

import type { Store, StoredValue, WriteResult } from "../store.ts";
import { EncryptionRefusedError } from "./encryption-refused-error.ts";

export const RECORD_KEY = "driftless/encryption/keys";

const VERSION = 1;

export interface KeyRecord {
  /** Ids. The first one writes; the others have sealed something that may still be there. */
  readonly keys: readonly [string, ...string[]];
  /** Ids of keys that nothing needs any more. They never write again, wherever they stand in a file. */
  readonly retired: readonly string[];
  /** Below these prefixes nothing is in clear, the kept past included. */
  readonly sealed: readonly string[];
}

/** Throws an EncryptionRefusedError when this program cannot read it. */
export function parseRecord(value: Uint8Array): KeyRecord {
  const record: unknown = parseJson(value);
  if (!isRecord(record)) {
    throw new EncryptionRefusedError(
      `Cannot use the encrypted store: "${RECORD_KEY}" in it is damaged, or of a newer version`,
    );
  }
  const { keys, retired, sealed } = record;
  return { keys, retired, sealed };
}

export async function readRecord(
  store: Pick<Store, "get">,
): Promise<{ readonly item: StoredValue | undefined; readonly record: KeyRecord | undefined }> {
  const { item } = await store.get(RECORD_KEY);
  return { item, record: item && parseRecord(item.value) };
}

/** Fails, as any write does, when somebody else has changed it since `item` was read. */
export function writeRecord(
  store: Store,
  record: KeyRecord,
  item: StoredValue | undefined,
): Promise<WriteResult> {
  const value = Buffer.from(JSON.stringify({ version: VERSION, ...record }));
  return item === undefined
    ? store.create(RECORD_KEY, value)
    : store.update(RECORD_KEY, value, item.revision);
}

/** True when nothing is left to re-encrypt. */
export function isSettled({ keys, sealed }: KeyRecord, prefixes: readonly string[]): boolean {
  return keys.length === 1 && prefixes.every((prefix) => sealed.includes(prefix));
}

function parseJson(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString());
  } catch {
    return undefined; // Judged by the caller, as all that is not a record.
  }
}

function isRecord(value: unknown): value is KeyRecord {
  if (typeof value !== "object" || value === null) return false;
  const { version, keys, retired, sealed } = value as Readonly<Record<string, unknown>>;
  return (
    version === VERSION &&
    isStrings(keys) &&
    keys.length > 0 &&
    isStrings(retired) &&
    isStrings(sealed)
  );
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
