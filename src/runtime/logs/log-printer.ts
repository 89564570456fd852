// From lines of a log file to what a reader of the log sees: the content, parts of a line joined, with or without its time.

import {
  isBefore,
  isLogLine,
  isPartialAt,
  MAX_PREFIX_BYTES,
  stampAt,
  streamAt,
} from "./cri-log-line.ts";
import type { LogQuery } from "./log-query.ts";

const LINE_END = 0x0a;
/** "2026-11-16T05:58:56.123456789Z " */
const STAMP_AND_SPACE_BYTES = 31;

export class LogPrinter {
  readonly #query: LogQuery;
  readonly #since: Buffer | undefined;
  #remainingBytes: number;
  /** Whole lines that are not wanted, before the first that is. */
  #linesToSkip: number;
  /** The next part begins a line. */
  #isNewLine = true;

  constructor(query: LogQuery, linesToSkip: number) {
    this.#query = query;
    this.#since = query.sinceMs === undefined ? undefined : stampAt(query.sinceMs);
    this.#remainingBytes = query.limitBytes ?? Number.POSITIVE_INFINITY;
    this.#linesToSkip = linesToSkip;
  }

  /** The limit is reached: nothing more will be printed. */
  get isDone(): boolean {
    return this.#remainingBytes <= 0;
  }

  /** `lines` are whole. What is no line of a log is left out. */
  print(lines: Buffer): Buffer {
    // What is printed of a line is never longer than the line.
    const output = Buffer.allocUnsafe(lines.length);
    let used = 0;
    for (let from = 0; from < lines.length; ) {
      const end = lines.indexOf(LINE_END, from);
      const next = end < 0 ? lines.length : end + 1;
      if (isLogLine(lines, from) && this.#isWanted(lines, from)) {
        used = this.#copy({ lines, from, next }, output, used);
      }
      from = next;
    }
    const printed = output.subarray(0, Math.min(used, this.#remainingBytes));
    this.#remainingBytes -= printed.length;
    return printed;
  }

  #isWanted(lines: Buffer, from: number): boolean {
    const { stream } = this.#query;
    if (stream !== "all" && streamAt(lines, from) !== stream) return false;
    if (this.#linesToSkip > 0) {
      if (!isPartialAt(lines, from)) this.#linesToSkip--;
      return false;
    }
    return this.#since === undefined || !isBefore(lines, from, this.#since);
  }

  /** Returns where it ends in `output`. */
  #copy(
    { lines, from, next }: { readonly lines: Buffer; readonly from: number; readonly next: number },
    output: Buffer,
    offset: number,
  ): number {
    let at = offset;
    if (this.#isNewLine && this.#query.hasTimestamps) {
      at += lines.copy(output, at, from, from + STAMP_AND_SPACE_BYTES);
    }
    const isPartial = isPartialAt(lines, from);
    at += lines.copy(output, at, from + MAX_PREFIX_BYTES, isPartial ? next - 1 : next);
    this.#isNewLine = !isPartial;
    return at;
  }
}
