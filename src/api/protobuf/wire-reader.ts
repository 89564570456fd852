// The lowest layer of protobuf: tags, varints and lengths over bytes that a stranger sent. Every length is held
// against the bytes that are left before anything is made of it, so hostile input costs no more than its own size.

import { DecodeError } from "../decode-error.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
/** Up to here characters are put together one by one: a decoder call costs more. */
const shortText = 32;

export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  /** The halves of the last varint, unsigned. */
  #low = 0;
  #high = 0;

  /** Reads from `start` up to `end`. */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /**
   * Field number · 8 + wire type: 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes. Groups (3, 4) do not
   * occur in the API and are refused.
   */
  tag(): number {
    const tag = this.uint32();
    const wireType = tag & 7;
    if (wireType !== 0 && wireType !== 1 && wireType !== 2 && wireType !== 5) {
      throw new DecodeError(`proto: illegal wireType ${wireType}`);
    }
    if (tag >>> 3 === 0)
      throw new DecodeError(`proto: illegal tag ${tag >>> 3} (wire type ${tag})`);
    return tag;
  }

  uint32(): number {
    this.#varint();
    return this.#low;
  }

  int32(): number {
    this.#varint();
    return this.#low | 0;
  }

  /** Refuses what a double cannot hold exactly. */
  int64(): number {
    this.#varint();
    const value = (this.#high | 0) * 2 ** 32 + this.#low;
    if (!Number.isSafeInteger(value)) throw new DecodeError(`proto: integer ${value} is too large`);
    return value;
  }

  bool(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  double(): number {
    const start = this.#take(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  string(): string {
    const { start, end } = this.#span();
    return end - start <= shortText ? this.#short(start, end) : this.#text(start, end);
  }

  bytes(): Uint8Array {
    const { start, end } = this.#span();
    return this.#bytes.subarray(start, end);
  }

  /** A reader of the message that comes next. */
  message(): WireReader {
    const { start, end } = this.#span();
    return new WireReader(this.#bytes, start, end);
  }

  /** Passes over the value of a field that is of no interest. */
  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === 0) this.#varint();
    else if (wireType === 1) this.#take(8);
    else if (wireType === 5) this.#take(4);
    else this.#span();
  }

  #span(): { readonly start: number; readonly end: number } {
    this.#varint();
    if (this.#high !== 0) throw new DecodeError("proto: negative length found during unmarshaling");
    const start = this.#take(this.#low);
    return { start, end: this.#at };
  }

  /** Moves on by that many bytes and says where they start. */
  #take(length: number): number {
    const start = this.#at;
    if (length > this.#end - start) throw new DecodeError("unexpected EOF");
    this.#at = start + length;
    return start;
  }

  #varint(): void {
    const first = this.#bytes[this.#take(1)] ?? 0;
    this.#low = first & 0x7f;
    this.#high = 0;
    if (first < 0x80) return;
    for (let shift = 7; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#take(1)] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 32) this.#low = (this.#low | (bits << shift)) >>> 0;
      // The fifth byte has bits of both halves.
      if (shift >= 28)
        this.#high = (this.#high | (shift < 32 ? bits >>> 4 : bits << (shift - 32))) >>> 0;
      if (byte < 0x80) return;
    }
    throw new DecodeError("proto: integer overflow");
  }

  #short(start: number, end: number): string {
    let text = "";
    for (let i = start; i < end; i++) {
      const byte = this.#bytes[i] ?? 0;
      if (byte >= 0x80) return this.#text(start, end);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  #text(start: number, end: number): string {
    return utf8.decode(this.#bytes.subarray(start, end));
  }
}
