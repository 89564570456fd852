// Decrypting with whichever key is needed.

import type { StoredValue } from "../store.ts";
import type { KeyRing } from "./key-ring.ts";
import { sealedBy, UnreadableValueError, unseal } from "./sealed-value.ts";

/** The value in clear. Throws an UnreadableValueError; it never returns what is encrypted. */
export function openValue(ring: KeyRing, { key, value }: StoredValue): Uint8Array {
  const id = sealedBy(key, value);
  if (id === "none") return value;
  const found = ring.find(id);
  if (found === undefined) {
    throw new UnreadableValueError(key, `"${ring.file}" does not have its key ${id}`);
  }
  return unseal(found, key, value);
}
