// Lines of a watch with the framing of an HTTP/1.1 chunk around them. The framing is made with the line, once for
// all who are sent it: Node would make it anew for every one of thousands of watchers.

/** Chunks by the part of them that is the line. */
const chunks = new WeakMap<Buffer, Buffer>();

const lineEnd = Buffer.from("\r\n");

/** The pieces as one frame, which is a part of the chunk that chunkOf() gives. */
export function chunkedFrame(...pieces: readonly Buffer[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const size = Buffer.from(`${length.toString(16)}\r\n`);
  const chunk = Buffer.concat([size, ...pieces, lineEnd]);
  const frame = chunk.subarray(size.length, size.length + length);
  chunks.set(frame, chunk);
  return frame;
}

/** As it goes over HTTP/1.1. */
export function chunkOf(frame: Buffer): Buffer {
  return chunks.get(frame) ?? chunks.get(chunkedFrame(frame)) ?? frame;
}
