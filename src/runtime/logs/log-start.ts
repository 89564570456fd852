// Where reading a log begins. Lines are counted from the end backwards, in blocks, so that the last line of a long log costs one read; a
// compressed file can only be counted forwards, and is then read twice.

import { isLogLine, isPartialAt, streamAt } from "./cri-log-line.ts";
import type { LogQuery } from "./log-query.ts";
import {
  BLOCK_BYTES,
  type CompressedSegment,
  type LogSegment,
  openCurrent,
  openRotated,
  PlainSegment,
} from "./log-segment.ts";
import { rotationStamps } from "./rotated-logs.ts";

const LINE_END = 0x0a;
/** The time of a file may be that much older than that of its last line: the kernel keeps it by a coarser clock. */
const FILE_TIME_SLACK_MS = 1000;

export interface LogStart {
  /** Oldest first; the last is the one that is written. To be closed by who asked. */
  readonly segments: readonly LogSegment[];
  readonly current: PlainSegment;
  /** Lines of the first segment that are not wanted. */
  readonly linesToSkip: number;
}

/** Throws the system's error if there is no log. */
export async function findStart(logPath: string, query: LogQuery): Promise<LogStart> {
  const current = await openCurrent(logPath);
  const segments: LogSegment[] = [current];
  try {
    const older = olderThan(logPath, current);
    const { size } = await current.handle.stat();
    if (!query.follow) current.endsAt = size;
    const tail = new Tail(query);
    let isFound = await tail.findIn(current);
    while (!isFound) {
      const segment = await openFirst(logPath, older.pop(), query.sinceMs);
      if (segment === undefined) break;
      segments.unshift(segment);
      isFound = await tail.findIn(segment);
    }
    return { segments, current, linesToSkip: tail.linesToSkip };
  } catch (err) {
    await Promise.all(segments.map((segment) => segment.close()));
    throw err;
  }
}

/** Oldest first. */
function olderThan(logPath: string, current: PlainSegment): string[] {
  const stamps = rotationStamps(logPath);
  // Asked after the list was made: if it was rotated meanwhile, it may be in the list itself.
  const own = current.rotatedAs();
  return stamps.filter((stamp) => own === undefined || stamp < own);
}

/** Undefined if there is nothing of interest in it or in older ones: those go first. */
async function openFirst(
  logPath: string,
  stamp: string | undefined,
  sinceMs: number | undefined,
): Promise<PlainSegment | CompressedSegment | undefined> {
  const segment = stamp === undefined ? undefined : await openRotated(logPath, stamp);
  if (segment === undefined || !(await isAllBefore(segment, sinceMs))) return segment;
  await segment.close();
  return undefined;
}

async function isAllBefore(
  { handle }: PlainSegment | CompressedSegment,
  sinceMs: number | undefined,
): Promise<boolean> {
  if (sinceMs === undefined) return false;
  const { mtimeMs } = await handle.stat();
  return mtimeMs + FILE_TIME_SLACK_MS < sinceMs;
}

/** Counts lines from the newest to the oldest, as they will be printed: a line ends with a part that is marked as its last. */
class Tail {
  /** Undefined: all. */
  readonly #wanted: number | undefined;
  readonly #stream: LogQuery["stream"];
  /** Lines whose end was seen. */
  #count = 0;
  /** Some line, or part of one, was seen. */
  #hasBegun = false;
  linesToSkip = 0;

  constructor({ tailLines, stream }: LogQuery) {
    this.#wanted = tailLines;
    this.#stream = stream;
  }

  /** Returns whether the first wanted line begins in this segment, and then puts it there. */
  async findIn(segment: PlainSegment | CompressedSegment): Promise<boolean> {
    if (this.#wanted === undefined) return false;
    if (segment instanceof PlainSegment) return this.#findBackwards(segment);
    return this.#findForwards(segment, this.#wanted);
  }

  async #findBackwards(segment: PlainSegment): Promise<boolean> {
    const { size } = await segment.handle.stat();
    let end = await endOfLastLine(segment, Math.min(size, segment.endsAt));
    if (this.#wanted === 0) {
      segment.offset = end;
      return true;
    }
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    while (end > 0) {
      const from = Math.max(0, end - BLOCK_BYTES);
      const { bytesRead } = await segment.handle.read(block, 0, end - from, from);
      const bytes = block.subarray(0, bytesRead);
      // The first line of the block has its beginning in the one before.
      const first = from === 0 ? 0 : bytes.indexOf(LINE_END) + 1;
      const start = this.#startIn(bytes.subarray(first));
      if (start !== undefined) {
        segment.offset = from + first + start;
        return true;
      }
      end = first === bytesRead ? from : from + first;
    }
    return false;
  }

  /** Where the first wanted line begins in these whole lines, if it does. */
  #startIn(lines: Buffer): number | undefined {
    let next = lines.length;
    while (next > 0) {
      const from = next < 2 ? 0 : lines.lastIndexOf(LINE_END, next - 2) + 1;
      if (this.#isOfStream(lines, from)) {
        if (!isPartialAt(lines, from) && this.#count === this.#wanted) return next;
        // A part at the very end belongs to a line that has no end.
        if (!isPartialAt(lines, from) || !this.#hasBegun) this.#count++;
        this.#hasBegun = true;
      }
      next = from;
    }
    return undefined;
  }

  async #findForwards(segment: CompressedSegment, wanted: number): Promise<boolean> {
    let ends = 0;
    let isLastPartial = false;
    for (let lines = await segment.next(); lines !== undefined; lines = await segment.next()) {
      for (let from = 0; from < lines.length; from = lines.indexOf(LINE_END, from) + 1) {
        if (!this.#isOfStream(lines, from)) continue;
        isLastPartial = isPartialAt(lines, from);
        if (!isLastPartial) ends++;
      }
    }
    await segment.rewind();
    const count = this.#count + (isLastPartial && !this.#hasBegun ? 1 : 0);
    this.#hasBegun ||= isLastPartial || ends > 0;
    this.linesToSkip = Math.max(0, ends - (wanted - count));
    this.#count = count + ends - this.linesToSkip;
    return this.linesToSkip > 0;
  }

  #isOfStream(lines: Buffer, from: number): boolean {
    if (!isLogLine(lines, from)) return false;
    return this.#stream === "all" || streamAt(lines, from) === this.#stream;
  }
}

/** Without the beginning of one that is being written. */
async function endOfLastLine({ handle }: PlainSegment, size: number): Promise<number> {
  const from = Math.max(0, size - BLOCK_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
  return from + buffer.subarray(0, bytesRead).lastIndexOf(LINE_END) + 1;
}
