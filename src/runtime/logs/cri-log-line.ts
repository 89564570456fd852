// The format of container logs that the kubelet and `kubectl logs` read:
//   2026-11-16T05:58:56.123456789Z stdout F a whole line
//   2026-11-16T05:58:56.123456789Z stdout P the beginning of a longer one
// Content is bytes and stays as it is, whatever it is.

export type LogStream = "stdout" | "stderr";

/** Of content in one line of a log. Longer ones are cut into partial lines, as containerd cuts them. */
export const MAX_LINE_BYTES: number = 16 * 1024;

/** "2026-11-16T05:58:56.123456789Z stdout F " */
export const MAX_PREFIX_BYTES = 40;

const LINE_END = 0x0a;

export interface CriLogLine {
  readonly stamp: string;
  readonly stream: LogStream;
  /** More of the same line follows. */
  readonly isPartial: boolean;
  /** Without a line end. */
  readonly content: Uint8Array;
}

const PARTIAL = 0x50;
const FULL = 0x46;

export class LogLineWriter {
  /** Lines that came together have the same one but for its tag: it is put together once. */
  readonly #prefix: Buffer = Buffer.alloc(MAX_PREFIX_BYTES, " ");
  #stamp = "";
  #stream: LogStream | undefined;

  /** Writes the line, with its end, to `target` and returns where it ends there. There must be room for it. */
  write(target: Buffer, offset: number, { stamp, stream, isPartial, content }: CriLogLine): number {
    if (stamp !== this.#stamp || stream !== this.#stream) {
      this.#prefix.write(`${stamp} ${stream} `, 0, "latin1");
      this.#stamp = stamp;
      this.#stream = stream;
    }
    target.set(this.#prefix, offset);
    target[offset + MAX_PREFIX_BYTES - 2] = isPartial ? PARTIAL : FULL;
    target.set(content, offset + MAX_PREFIX_BYTES);
    const end = offset + MAX_PREFIX_BYTES + content.length;
    target[end] = LINE_END;
    return end + 1;
  }
}

const SPACE = 0x20;
const STAMP_BYTES = 30;

/** Whether a line of ours begins at `from`. Its prefix always has the same length. */
export function isLogLine(bytes: Buffer, from: number): boolean {
  return (
    bytes[from + STAMP_BYTES] === SPACE &&
    bytes[from + STAMP_BYTES + 7] === SPACE &&
    bytes[from + MAX_PREFIX_BYTES - 1] === SPACE
  );
}

export function streamAt(bytes: Buffer, from: number): LogStream {
  // The letter in which the two words differ.
  return bytes[from + STAMP_BYTES + 4] === 0x65 ? "stderr" : "stdout";
}

export function isPartialAt(bytes: Buffer, from: number): boolean {
  return bytes[from + MAX_PREFIX_BYTES - 2] === PARTIAL;
}

/** `stamp` as lines have it, in bytes. */
export function isBefore(bytes: Buffer, from: number, stamp: Buffer): boolean {
  return bytes.compare(stamp, 0, STAMP_BYTES, from, from + STAMP_BYTES) < 0;
}

/** The first stamp of this millisecond. */
export function stampAt(ms: number): Buffer {
  return Buffer.from(`${new Date(ms).toISOString().slice(0, 23)}000000Z`, "latin1");
}
