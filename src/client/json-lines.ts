// Splits a stream of bytes into lines of JSON. What is held is at most one line that has begun, and a line has a limit: a
// server that never ends one does not fill the memory.

import type { JsonValue } from "../api/json.ts";

/** Objects have at most a few MiB on any server; escapes make them a little longer. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 10;

/** Throws on a line that is too long or is not JSON, and if the stream ends within a line. */
export async function* jsonLines(
  body: AsyncIterable<Uint8Array>,
  maxLineBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<JsonValue> {
  const begun = new BegunLine(maxLineBytes);
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = begun.finish(chunk.subarray(start, end));
      start = end + 1;
      if (line.trim() !== "") yield parsed(line);
    }
    begun.add(chunk.subarray(start));
  }
  if (begun.bytes > 0) throw new Error("the stream ended in the middle of a line");
}

class BegunLine {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) {
      throw new Error(`a line of the stream has more than ${this.#maxBytes} bytes`);
    }
    this.#pieces.push(piece);
  }

  finish(piece: Uint8Array): string {
    this.add(piece);
    const line = Buffer.concat(this.#pieces, this.#bytes).toString("utf8");
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }
}

/** The parser's words quote the line, which may be a Secret. */
function parsed(line: string): JsonValue {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    throw new Error("a line of the stream is not JSON");
  }
}
