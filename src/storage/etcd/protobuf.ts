// The wire format of protocol buffers, as far as etcd's API needs it: varints and length-delimited
// fields. Messages are written without copying: nested ones and values are put together once, at the end.

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** Writes one message. Zero, false and "" are left out where proto3 leaves them out: pass them to nothing. */
export class ProtoWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  varint(field: number, value: bigint | number): this {
    this.#add(encodeVarint(field * 8 + VARINT));
    return this.#add(encodeVarint(value));
  }

  bytes(field: number, value: Uint8Array): this {
    this.#start(field, value.length);
    return this.#add(value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  message(field: number, nested: ProtoWriter): this {
    this.#start(field, nested.#length);
    for (const chunk of nested.#chunks) {
      this.#add(chunk);
    }
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#chunks, this.#length);
  }

  #start(field: number, length: number): void {
    this.#add(encodeVarint(field * 8 + LENGTH_DELIMITED));
    this.#add(encodeVarint(length));
  }

  #add(chunk: Uint8Array): this {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return this;
  }
}

/** Field numbers, sizes and flags are small: most varints are one byte, and these are made once. */
const oneByte: readonly Uint8Array[] = Array.from({ length: 128 }, (_, i) => Uint8Array.of(i));

function encodeVarint(value: bigint | number): Uint8Array {
  const small = value < 128 ? oneByte[Number(value)] : undefined;
  if (small !== undefined) {
    return small;
  }
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 128n) {
    out.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return Uint8Array.from(out);
}

/**
 * Reads the fields of one message: next(), then the one reader that fits the field, or skip().
 * Throws RangeError on bytes that are no message.
 */
export class ProtoReader {
  readonly #bytes: Buffer;
  #at = 0;
  #wireType = VARINT;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The number of the next field, or 0 at the end. */
  next(): number {
    if (this.#at >= this.#bytes.length) {
      return 0;
    }
    const tag = this.int();
    this.#wireType = tag & 7;
    return tag >>> 3;
  }

  /** A varint that is known to be below 2^53: sizes, flags, field numbers. */
  int(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) {
        return value;
      }
    }
    throw new RangeError("Cannot read a number: it has more than 53 bits");
  }

  bool(): boolean {
    return this.int() !== 0;
  }

  /** A signed 64-bit varint. */
  bigint(): bigint {
    // Seven bytes fit a number exactly; revisions rarely need more, and this is many times faster.
    let low = 0;
    for (let i = 0, factor = 1; i < 7; i++, factor *= 128) {
      const byte = this.#byte();
      low += (byte & 127) * factor;
      if (byte < 128) {
        return BigInt(low);
      }
    }
    let value = BigInt(low);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) {
        return BigInt.asIntN(64, value);
      }
    }
    throw new RangeError("Cannot read a number: it has more than 64 bits");
  }

  /** A view into the message, good for as long as the message is. */
  view(): Buffer {
    const length = this.int();
    const end = this.#at + length;
    if (end > this.#bytes.length) {
      throw new RangeError(`Cannot read ${length} bytes: the message is cut off`);
    }
    const view = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return view;
  }

  /** A copy: whoever keeps one value does not keep the whole answer that it came in. */
  bytes(): Uint8Array {
    return new Uint8Array(this.view());
  }

  text(): string {
    return this.view().toString();
  }

  message(): ProtoReader {
    return new ProtoReader(this.view());
  }

  /** Passes over a field that is not needed or not known. */
  skip(): void {
    switch (this.#wireType) {
      case VARINT:
        while (this.#byte() >= 128);
        break;
      case LENGTH_DELIMITED:
        this.view();
        break;
      case FIXED_64:
        this.#at += 8;
        break;
      case FIXED_32:
        this.#at += 4;
        break;
      default:
        throw new RangeError(`Cannot read a field: wire type ${this.#wireType} is unknown`);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) {
      throw new RangeError("Cannot read a number: the message is cut off");
    }
    return byte;
  }
}
