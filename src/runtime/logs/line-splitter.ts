// Cuts a stream of bytes into lines. What has no end yet is kept until it has one, or is as long as a line may be.

import { MAX_LINE_BYTES } from "./cri-log-line.ts";

/** `content` is only good during the call. */
export type LineHandler = (content: Uint8Array, isPartial: boolean) => void;

const LINE_END = 0x0a;
const SMALLEST_TAIL_BYTES = 128;

export class LineSplitter {
  readonly #onLine: LineHandler;
  /** The beginning of a line: its first #tailBytes. Grows as needed and is given back when the line ends: most lines come whole. */
  #tail: Buffer | undefined;
  #tailBytes = 0;

  constructor(onLine: LineHandler) {
    this.#onLine = onLine;
  }

  push(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const end = bytes.indexOf(LINE_END, from);
      const isEnded = end >= 0;
      from = this.#take(bytes, from, isEnded ? end : bytes.length, isEnded);
    }
  }

  /** The stream has ended: what is left is a line that never will. */
  end(): void {
    if (this.#tailBytes > 0) this.#emit(new Uint8Array(0), true);
  }

  /** Returns where to go on. */
  #take(bytes: Uint8Array, from: number, to: number, isEnded: boolean): number {
    const room = MAX_LINE_BYTES - this.#tailBytes;
    if (to - from > room) {
      this.#emit(bytes.subarray(from, from + room), true);
      return from + room;
    }
    if (isEnded) {
      this.#emit(bytes.subarray(from, to), false);
      return to + 1;
    }
    this.#keep(bytes.subarray(from, to));
    return to;
  }

  #emit(rest: Uint8Array, isPartial: boolean): void {
    if (this.#tailBytes === 0) {
      this.#onLine(rest, isPartial);
      return;
    }
    this.#keep(rest);
    const line = this.#tail?.subarray(0, this.#tailBytes) ?? rest;
    this.#tail = undefined;
    this.#tailBytes = 0;
    this.#onLine(line, isPartial);
  }

  #keep(bytes: Uint8Array): void {
    const needed = this.#tailBytes + bytes.length;
    if (this.#tail === undefined || this.#tail.length < needed) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(SMALLEST_TAIL_BYTES, Math.min(2 * needed, MAX_LINE_BYTES)),
      );
      if (this.#tail !== undefined) larger.set(this.#tail.subarray(0, this.#tailBytes));
      this.#tail = larger;
    }
    this.#tail.set(bytes, this.#tailBytes);
    this.#tailBytes = needed;
  }
}
