// How a server comes to its keys, at its start and again while it runs. Several may do so at once on one store: the
// record in the store decides, by its revision, and who finds that it lacks a key that the others use is refused.
//
//   no record, nothing sealed ── a key file is made if there is none ──► record with the first key of the file
//   record, all its keys in the file ── the file begins with a new key ──► record with that one in front
//   record, some key not in the file ──► refused

import type { Store } from "../store.ts";
import { missingKeyFile, missingKeys } from "./encryption-refused-error.ts";
import { createKeyFile, readKeyFile } from "./key-file.ts";
import { type KeyRecord, readRecord, writeRecord } from "./key-record.ts";
import type { KeyRing } from "./key-ring.ts";
import { type KeyUse, surveyStore } from "./survey.ts";

export interface AgreeOptions {
  readonly store: Store;
  readonly ring: KeyRing;
  readonly prefixes: readonly string[];
}

/** Makes the key file for a store that has never had a key, and loads the ring. Throws an EncryptionRefusedError. */
export async function openKeys(options: AgreeOptions): Promise<KeyRecord> {
  const { store, ring, prefixes } = options;
  if (readKeyFile(ring.file) === undefined) {
    const { record } = await readRecord(store);
    const needed = record?.keys ?? keysOf(await surveyStore(store, prefixes));
    if (needed.length > 0) throw missingKeyFile(ring.file, needed);
    createKeyFile(ring.file);
  }
  ring.load();
  return agreeOnKeys(options);
}

/** Lets the ring write with the key that the record names. Throws an EncryptionRefusedError. */
export async function agreeOnKeys({ store, ring, prefixes }: AgreeOptions): Promise<KeyRecord> {
  for (;;) {
    const { item, record: known } = await readRecord(store);
    refuseMissing(ring, known?.keys ?? []);
    // Until a new key is in the record, the old one writes: also when a full disk keeps it out for a while.
    if (known) ring.writeWith(known.keys[0]);
    const wanted = known
      ? withWriter(known, ring.first.id)
      : await firstRecord({ store, ring, prefixes });
    // Whoever writes it first has decided: the others look again.
    if (wanted === known || (await writeRecord(store, wanted, item)).ok) {
      ring.writeWith(wanted.keys[0]);
      return wanted;
    }
  }
}

/** A store without a record has no sealed values, unless somebody has removed it: they are looked for. */
async function firstRecord({ store, ring, prefixes }: AgreeOptions): Promise<KeyRecord> {
  const use = await surveyStore(store, prefixes);
  refuseMissing(ring, keysOf(use));
  const others = keysOf(use).filter((id) => id !== ring.first.id);
  // Values that were deleted may be in the past, in clear: only a store that was never written to has none.
  const isNew = (await store.revision()) === 0n;
  return { keys: [ring.first.id, ...others], retired: [], sealed: isNew ? prefixes : [] };
}

function withWriter(record: KeyRecord, id: string): KeyRecord {
  const { keys, retired } = record;
  return keys.includes(id) || retired.includes(id) ? record : { ...record, keys: [id, ...keys] };
}

function keysOf(use: KeyUse): readonly string[] {
  return [...use.byKey.keys()];
}

function refuseMissing(ring: KeyRing, needed: readonly string[]): void {
  const missing = needed.filter((id) => !ring.isInFile(id));
  if (missing.length > 0) throw missingKeys(ring.file, missing);
}
