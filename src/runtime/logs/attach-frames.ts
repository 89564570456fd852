// What goes over a connection that is attached to a container: a byte that says what follows, its length in four bytes, and it.

/** "end" to the keeper: of stdin, for this client. From the keeper: the container's, after all that it wrote. */
export type FrameKind = "stdin" | "stdout" | "stderr" | "end";

const KINDS: readonly FrameKind[] = ["stdin", "stdout", "stderr", "end"];
const HEADER_BYTES = 5;
/** Of one frame. Longer than what is read from a FIFO at once. */
export const MAX_FRAME_BYTES: number = 128 * 1024;

export function encodeFrame(kind: FrameKind, bytes: Uint8Array = new Uint8Array(0)): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame[0] = KINDS.indexOf(kind);
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

/** Throws on what is no frame. */
export function frameDecoder(
  onFrame: (kind: FrameKind, bytes: Buffer) => void,
): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= HEADER_BYTES) {
      const kind = KINDS[rest[0] ?? KINDS.length];
      const length = rest.readUInt32BE(1);
      if (kind === undefined || length > MAX_FRAME_BYTES) throw new Error("not a frame");
      if (rest.length < HEADER_BYTES + length) return;
      const content = rest.subarray(HEADER_BYTES, HEADER_BYTES + length);
      rest = rest.subarray(HEADER_BYTES + length);
      onFrame(kind, content);
    }
  };
}
