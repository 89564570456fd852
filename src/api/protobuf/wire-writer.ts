// The lowest layer of writing protobuf: bytes that grow, with the length of a message put in front once it is known.

const utf8 = new TextEncoder();

export class WireWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** Of a whole number that a double holds exactly; negative ones take ten bytes, as in Go. */
  varint(value: number): void {
    let low = value >>> 0;
    let high = Math.floor(value / 2 ** 32) >>> 0;
    this.#grow(10);
    while (high !== 0 || low >= 0x80) {
      this.#bytes[this.#length++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.#bytes[this.#length++] = low;
  }

  double(value: number): void {
    this.#grow(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** With the length in front. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#grow(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  string(number: number, value: string): void {
    this.tag(number, 2);
    this.varint(value.length);
    const start = this.#length;
    this.#grow(value.length);
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) {
        // Not ASCII after all: the length in front is in bytes.
        this.#length = start - varintSize(value.length);
        this.bytes(utf8.encode(value));
        return;
      }
      this.#bytes[this.#length++] = code;
    }
  }

  /** A field that is a message, whose fields `write` writes. */
  message(number: number, write: (inner: WireWriter) => void): void {
    this.tag(number, 2);
    // One byte is kept for the length. A longer message is moved once it is known how long it is.
    this.#grow(1);
    this.#length++;
    const start = this.#length;
    write(this);
    const length = this.#length - start;
    const more = varintSize(length) - 1;
    this.#grow(more);
    this.#bytes.copyWithin(start + more, start, this.#length);
    this.#length = start - 1;
    this.varint(length);
    this.#length = start + more + length;
  }

  #grow(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let left = value; left >= 0x80; left = Math.floor(left / 0x80)) size++;
  return size;
}
