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

/** Writes the line, with its end, to `target` and returns where it ends there. There must be room for it. */
export function writeLogLine(target: Buffer, offset: number, line: CriLogLine): number {
  const { stamp, stream, isPartial, content } = line;
  let at = offset + target.write(`${stamp} ${stream} ${isPartial ? "P" : "F"} `, offset, "latin1");
  target.set(content, at);
  at += content.length;
  target[at] = LINE_END;
  return at + 1;
}
