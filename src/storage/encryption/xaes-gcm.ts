// XAES-256-GCM, as https://c2sp.org/XAES-256-GCM has it: AES-256-GCM with a key of its own for each message. The
// first half of a 24-byte nonce gives that key, by two blocks of AES; the other half is the nonce of GCM. Nonces
// can then be random for ever: GCM's own are so short that a key would have to be replaced after 2^32 writes.

import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
} from "node:crypto";
import type { Secret } from "../../base/secret.ts";

export const KEY_BYTES = 32;
export const NONCE_BYTES = 24;
export const TAG_BYTES = 16;

const BLOCK_BYTES = 16;
/** Where a nonce is cut in two. */
const HALF = 12;

export interface Message {
  readonly nonce: Uint8Array;
  /** Not encrypted, and yet a message opens only with what it was sealed with. */
  readonly bound: Uint8Array;
}

/** Blocks the thread: tens of microseconds, and less than a millisecond for a MiB. */
export class XaesGcm {
  /** One block does not depend on those before it, so that it never has to be made again. */
  readonly #blocks: Cipheriv;
  /** What is encrypted to get a message's key, without the nonce. */
  readonly #pattern: Buffer;

  constructor(key: Secret) {
    const bytes = key.reveal();
    if (bytes.length !== KEY_BYTES) throw new Error(`A key has ${KEY_BYTES} bytes`);
    this.#blocks = createCipheriv("aes-256-ecb", bytes, null).setAutoPadding(false);
    this.#pattern = Buffer.alloc(2 * BLOCK_BYTES);
    const mask = doubled(this.#blocks.update(Buffer.alloc(BLOCK_BYTES)));
    for (const [i, counter] of [1, 2].entries()) {
      const block = this.#pattern.subarray(i * BLOCK_BYTES);
      block.set([0, counter, 0x58, 0]); // An "X".
      for (let at = 0; at < BLOCK_BYTES; at++) block[at] = (block[at] ?? 0) ^ (mask[at] ?? 0);
    }
  }

  seal(
    plaintext: Uint8Array,
    { nonce, bound }: Message,
  ): readonly [ciphertext: Buffer, tag: Buffer] {
    const cipher = createCipheriv("aes-256-gcm", this.#keyOf(nonce), nonce.subarray(HALF));
    cipher.setAAD(bound);
    const ciphertext = cipher.update(plaintext);
    cipher.final();
    return [ciphertext, cipher.getAuthTag()];
  }

  /** Throws, and gives nothing away, unless every bit is as it was sealed. */
  open(ciphertext: Uint8Array, tag: Uint8Array, { nonce, bound }: Message): Buffer {
    const key = this.#keyOf(nonce);
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv("aes-256-gcm", key, nonce.subarray(HALF), options);
    decipher.setAAD(bound);
    decipher.setAuthTag(tag);
    const plaintext = decipher.update(ciphertext);
    decipher.final();
    return plaintext;
  }

  /** As an object: given bytes, Node finds out that they are none by throwing and catching, three times the work of all the rest. */
  #keyOf(nonce: Uint8Array): KeyObject {
    if (nonce.length !== NONCE_BYTES) throw new Error(`A nonce has ${NONCE_BYTES} bytes`);
    const blocks = Buffer.from(this.#pattern);
    for (let half = 0; half < 2; half++) {
      const at = half * BLOCK_BYTES + BLOCK_BYTES - HALF;
      for (let i = 0; i < HALF; i++) blocks[at + i] = (blocks[at + i] ?? 0) ^ (nonce[i] ?? 0);
    }
    return createSecretKey(this.#blocks.update(blocks));
  }
}

/** Times two in the field of CMAC. */
function doubled(block: Uint8Array): Uint8Array {
  const result = new Uint8Array(BLOCK_BYTES);
  for (let i = 0; i < BLOCK_BYTES; i++) {
    result[i] = ((block[i] ?? 0) << 1) | ((block[i + 1] ?? 0) >>> 7);
  }
  if (((block[0] ?? 0) & 0x80) !== 0)
    result[BLOCK_BYTES - 1] = (result[BLOCK_BYTES - 1] ?? 0) ^ 0x87;
  return result;
}
