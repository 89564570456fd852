// Takes a stream of bytes in the portions that a parser wants, whatever portions it comes in.

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Read, but not taken yet. */
  #ahead: Buffer = Buffer.alloc(0);
  #offset = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** How many bytes were taken. */
  get offset(): number {
    return this.#offset;
  }

  /** Some bytes, at most `maxBytes`; none at the end. */
  async some(maxBytes: number): Promise<Buffer> {
    while (this.#ahead.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return this.#ahead;
      const { buffer, byteOffset, byteLength } = next.value;
      this.#ahead = Buffer.from(buffer, byteOffset, byteLength);
    }
    const bytes = this.#ahead.subarray(0, maxBytes);
    this.#ahead = this.#ahead.subarray(bytes.length);
    this.#offset += bytes.length;
    return bytes;
  }

  /** Exactly as many, or fewer at the end. */
  async take(count: number): Promise<Buffer> {
    const first = await this.some(count);
    if (first.length === count || first.length === 0) return first;
    const parts = [first];
    let length = first.length;
    while (length < count) {
      const next = await this.some(count - length);
      if (next.length === 0) break;
      parts.push(next);
      length += next.length;
    }
    return Buffer.concat(parts);
  }

  /** Returns how many there were. */
  async skip(count: number): Promise<number> {
    let skipped = 0;
    while (skipped < count) {
      const { length } = await this.some(count - skipped);
      if (length === 0) break;
      skipped += length;
    }
    return skipped;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
