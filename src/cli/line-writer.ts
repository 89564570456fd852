// Writes whole lines of a stream of bytes, with a prefix, to where others write too: lines of several sources are never mixed.

import { once } from "node:events";
import type { Writable } from "node:stream";

const NEWLINE = 10;
/** A line that is longer is cut: whoever never ends one must not fill the memory. */
const MAX_LINE_BYTES = 1024 * 1024;

export class LineWriter {
  readonly #out: Writable;
  readonly #prefix: Buffer;
  /** The beginning of a line whose end has not come. */
  #begun: Buffer = Buffer.alloc(0);

  constructor(out: Writable, prefix: string) {
    this.#out = out;
    this.#prefix = Buffer.from(prefix);
  }

  /** Waits for a reader that is slow. */
  async write(chunk: Uint8Array): Promise<void> {
    const last = chunk.lastIndexOf(NEWLINE);
    const bytes = Buffer.concat([this.#begun, chunk.subarray(0, last + 1)]);
    if (last < 0) {
      this.#begun = Buffer.concat([bytes, chunk]);
      if (this.#begun.length > MAX_LINE_BYTES) await this.#put(this.#taken());
      return;
    }
    this.#begun = Buffer.from(chunk.subarray(last + 1));
    await this.#put(bytes);
  }

  /** What is left is written as it is, without an end of the line that was not there. */
  async end(): Promise<void> {
    if (this.#begun.length > 0) await this.#put(this.#taken());
  }

  #taken(): Buffer {
    const bytes = this.#begun;
    this.#begun = Buffer.alloc(0);
    return bytes;
  }

  async #put(bytes: Buffer): Promise<void> {
    const whole = this.#prefix.length === 0 ? bytes : this.#prefixed(bytes);
    if (!this.#out.write(whole)) await once(this.#out, "drain");
  }

  #prefixed(bytes: Buffer): Buffer {
    const parts: Buffer[] = [];
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, start);
      const next = end < 0 ? bytes.length : end + 1;
      parts.push(this.#prefix, bytes.subarray(start, next));
      start = next;
    }
    return Buffer.concat(parts);
  }
}
