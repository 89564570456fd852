// How much may wait to be written. What waits is in memory, and each write has a caller that waits for it:
// beyond these bounds a store says so at once instead of growing.

import { StoreUnavailableError } from "./store.ts";

const MAX_WRITES = 10_000;
/** 10,000 of the largest values would be 30 GiB. */
const MAX_BYTES = 256 * 2 ** 20;

/** A write, as far as its size matters. */
export interface SizedWrite {
  readonly key: string;
  /** Undefined deletes the key. */
  readonly value: Uint8Array | undefined;
}

export class WaitingWrites {
  #count = 0;
  #bytes = 0;

  /** Throws StoreUnavailableError when too much waits already. Otherwise remove() has to follow. */
  add(write: SizedWrite): void {
    if (this.#count >= MAX_WRITES) throw refused(write, `${MAX_WRITES} writes wait`);
    if (this.#bytes >= MAX_BYTES) throw refused(write, `writes of ${MAX_BYTES} bytes wait`);
    this.#count++;
    this.#bytes += sizeOf(write);
  }

  remove(write: SizedWrite): void {
    this.#count--;
    this.#bytes -= sizeOf(write);
  }
}

function sizeOf({ key, value }: SizedWrite): number {
  return key.length + (value?.length ?? 0);
}

function refused({ key }: SizedWrite, why: string): StoreUnavailableError {
  return new StoreUnavailableError(`Cannot write "${key}": ${why}`);
}
