// The form of an encrypted value:
//
//   "\0DSE" · version (1) · id of the key (8) · nonce (24) · ciphertext · tag (16)
//
// The head and the key in the store are bound to the ciphertext: it opens nowhere else. A value in clear is the JSON of
// an object and begins with "{"; whatever is neither is refused, so that a damaged head does not make a value clear.

import { randomBytes } from "node:crypto";
import { type EncryptionKey, KEY_ID_BYTES } from "./encryption-key.ts";
import { NONCE_BYTES, TAG_BYTES } from "./xaes-gcm.ts";

const MAGIC = Buffer.from("\0DSE");
const VERSION = 1;
const ID_AT = MAGIC.length + 1;
const NONCE_AT = ID_AT + KEY_ID_BYTES;
const CIPHERTEXT_AT = NONCE_AT + NONCE_BYTES;
const OPEN_BRACE = 0x7b;

/** A value was changed, was moved, or is not whole. */
export class UnreadableValueError extends Error {
  override readonly name = "UnreadableValueError";

  constructor(storeKey: string, why: string, cause?: unknown) {
    super(`Cannot decrypt "${storeKey}": ${why}`, { cause });
  }
}

export function seal(key: EncryptionKey, storeKey: string, value: Uint8Array): Buffer {
  const head = Buffer.allocUnsafe(CIPHERTEXT_AT);
  MAGIC.copy(head);
  head[MAGIC.length] = VERSION;
  head.write(key.id, ID_AT, "hex");
  const nonce = randomBytes(NONCE_BYTES);
  nonce.copy(head, NONCE_AT);
  const [ciphertext, tag] = key.cipher.seal(value, { nonce, bound: boundTo(head, storeKey) });
  return Buffer.concat([head, ciphertext, tag]);
}

/** The id of the key, or "none" for a value in clear. Throws an UnreadableValueError for anything else. */
export function sealedBy(storeKey: string, value: Uint8Array): string {
  if (value[0] === OPEN_BRACE) return "none";
  const bytes = asBuffer(value);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes.length < CIPHERTEXT_AT + TAG_BYTES) {
    throw new UnreadableValueError(storeKey, "it is neither a whole encrypted value nor an object");
  }
  if (bytes[MAGIC.length] !== VERSION) {
    throw new UnreadableValueError(
      storeKey,
      `its format has the version ${bytes[MAGIC.length]}, and this program knows ${VERSION}`,
    );
  }
  return bytes.toString("hex", ID_AT, NONCE_AT);
}

/** Throws an UnreadableValueError unless this key has sealed it for this place. */
export function unseal(key: EncryptionKey, storeKey: string, value: Uint8Array): Uint8Array {
  const bytes = asBuffer(value);
  const nonce = bytes.subarray(NONCE_AT, CIPHERTEXT_AT);
  const end = bytes.length - TAG_BYTES;
  try {
    return key.cipher.open(bytes.subarray(CIPHERTEXT_AT, end), bytes.subarray(end), {
      nonce,
      bound: boundTo(bytes, storeKey),
    });
  } catch (cause) {
    throw new UnreadableValueError(storeKey, "it was changed, or belongs to another key", cause);
  }
}

/** The head up to the nonce has a fixed length: no two pairs of head and key give the same bytes. */
function boundTo(head: Buffer, storeKey: string): Buffer {
  return Buffer.concat([head.subarray(0, NONCE_AT), Buffer.from(storeKey)]);
}

function asBuffer(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
