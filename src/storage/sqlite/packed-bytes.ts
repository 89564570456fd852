// Many values in few buffers, to cross from one thread to another: buffers are handed over without copying, but
// each costs more than copying a small value. A chunk stays in memory as long as any of its values is used, so
// chunks are small.

const CHUNK_BYTES = 64 * 2 ** 10;

/** Buffers that nobody else has: they can be transferred. */
export type Chunks = readonly Uint8Array<ArrayBuffer>[];

/** Copies the values one after another. A value is always whole in one chunk. */
export function packBytes(values: readonly Uint8Array[]): Chunks {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < values.length; ) {
    let end = start;
    let size = 0;
    do {
      size += values[end]?.length ?? 0;
      end++;
    } while (end < values.length && size + (values[end]?.length ?? 0) <= CHUNK_BYTES);
    const chunk = new Uint8Array(size);
    let offset = 0;
    for (; start < end; start++) {
      const value = values[start] ?? new Uint8Array();
      chunk.set(value, offset);
      offset += value.length;
    }
    chunks.push(chunk);
  }
  return chunks;
}

export function buffersOf(chunks: Chunks): ArrayBuffer[] {
  return chunks.map(({ buffer }) => buffer);
}

/** Gives back the values in the order in which they were packed, without copying them. */
export class PackedReader {
  readonly #chunks: Chunks;
  #chunk = 0;
  #offset = 0;

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
  }

  /** `length` is that of the value that was packed next. */
  take(length: number): Uint8Array {
    if (length === 0) return new Uint8Array();
    let chunk = this.#chunks[this.#chunk];
    while (this.#offset === chunk?.length) {
      this.#offset = 0;
      chunk = this.#chunks[++this.#chunk];
    }
    if (chunk === undefined) throw new RangeError("Everything that was packed has been taken");
    const start = this.#offset;
    this.#offset += length;
    return chunk.subarray(start, this.#offset);
  }
}
