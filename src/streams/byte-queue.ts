// Bytes that wait for their reader, in order. Small pieces are copied together: a client that sends a byte at a time
// must not cost an object for each.

const slabBytes = 16_384;
/** Below this a copy is cheaper than keeping the piece and whatever larger memory it is a part of. */
const smallBytes = 4_096;

export class ByteQueue {
  readonly #pieces: Buffer[] = [];
  /** The last piece, if it has room behind it: `#fill` bytes of it are taken. */
  #slab: Buffer | undefined;
  #fill = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Keeps `bytes` without copying if they are many: they must not change afterwards. */
  push(bytes: Buffer): void {
    this.#size += bytes.length;
    if (bytes.length >= smallBytes) {
      this.#closeSlab();
      this.#pieces.push(bytes);
      return;
    }
    if (this.#slab && this.#fill + bytes.length > this.#slab.length) {
      this.#closeSlab();
    }
    this.#slab ??= Buffer.allocUnsafeSlow(slabBytes);
    bytes.copy(this.#slab, this.#fill);
    this.#fill += bytes.length;
  }

  /** The next piece, of whatever length, or undefined when the queue is empty. */
  shift(): Buffer | undefined {
    if (this.#pieces.length === 0) {
      this.#closeSlab();
    }
    const piece = this.#pieces.shift();
    this.#size -= piece?.length ?? 0;
    return piece;
  }

  clear(): void {
    this.#pieces.length = 0;
    this.#slab = undefined;
    this.#fill = 0;
    this.#size = 0;
  }

  #closeSlab(): void {
    if (this.#slab && this.#fill > 0) {
      // What is far from full gets memory of its own size, so that a slow client does not hold a slab per byte.
      const taken = this.#slab.subarray(0, this.#fill);
      this.#pieces.push(this.#fill < smallBytes ? Buffer.from(taken) : taken);
    }
    this.#slab = undefined;
    this.#fill = 0;
  }
}
