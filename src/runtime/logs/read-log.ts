// Reads a container's log for people: `kubectl logs`. All files that are left of it count, rotated and compressed ones too; the kubelet
// reads only the newest, so that a log seems to lose its past the moment it is rotated. Who follows a log gets each line once and
// in order across any number of rotations, unless a file was removed before they came to it: the disk is bounded, readers are not waited for.
//
// In memory there is one block of a file and what is printed of it; the next is read when that was taken.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import { LogChanges } from "./log-changes.ts";
import { LogPrinter } from "./log-printer.ts";
import type { LogQuery } from "./log-query.ts";
import { type LogSegment, openCurrent, openRotated, type PlainSegment } from "./log-segment.ts";
import { findStart } from "./log-start.ts";
import { rotationStamps } from "./rotated-logs.ts";

export interface ReadLogOptions {
  /** Of the file that is written, in the CRI format. */
  readonly path: string;
  readonly query: LogQuery;
  readonly clock: Clock;
  /** Ends it, without an error. */
  readonly signal: AbortSignal;
  /** Settles when the container has ended and its log is finished: who follows gets the rest, and then the end. */
  readonly ended: Promise<unknown>;
}

/** Throws the system's error if there is no log. A log that is removed while it is followed is at its end. */
export async function* readLog(options: ReadLogOptions): AsyncGenerator<Buffer, void, undefined> {
  const { path, query, signal } = options;
  // Before the first read, so that no change is missed.
  using changes = query.follow
    ? LogChanges.watch({ ...options, directory: dirname(path) })
    : undefined;
  const { segments, linesToSkip, current } = await findStart(path, query);
  await using open = new AsyncDisposableStack();
  for (const segment of segments) open.defer(() => segment.close());
  const printer = new LogPrinter(query, linesToSkip);
  for (const segment of segments) yield* printed(segment, printer, signal);
  if (changes !== undefined) yield* followed({ path, changes, printer, signal }, current);
}

async function* printed(
  segment: LogSegment,
  printer: LogPrinter,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  while (!printer.isDone && !signal.aborted) {
    const lines = await segment.next();
    if (lines === undefined) return;
    const output = printer.print(lines);
    if (output.length > 0) yield output;
  }
}

interface Following {
  readonly path: string;
  readonly changes: LogChanges;
  readonly printer: LogPrinter;
  readonly signal: AbortSignal;
}

async function* followed(
  { path, changes, printer, signal }: Following,
  current: PlainSegment,
): AsyncGenerator<Buffer, void, undefined> {
  let segment: LogSegment = current;
  try {
    while (!printer.isDone && !signal.aborted) {
      changes.forget();
      // All of this is asked before the read: what is true then leaves nothing to come after the read.
      const { hasEnded } = changes;
      const stamp = segment.rotatedAs();
      const isRemoved = stamp === undefined && segment.isRemoved();
      yield* printed(segment, printer, signal);
      const next = stamp === undefined ? undefined : await openNext(path, stamp);
      if (next !== undefined) {
        await segment.close();
        segment = next;
        continue;
      }
      if (hasEnded || isRemoved || !existsSync(dirname(path))) return;
      await changes.next();
    }
  } finally {
    await segment.close();
  }
}

/** The one after the rotated one of this stamp; undefined in the instant in which there is none. */
async function openNext(path: string, stamp: string): Promise<LogSegment | undefined> {
  let last = stamp;
  for (;;) {
    const after = stampAfter(path, last);
    if (after !== undefined) {
      const rotated = await openRotated(path, after);
      if (rotated !== undefined) return rotated;
      last = after;
      continue;
    }
    const current = await openCurrentIfThere(path);
    if (current === undefined) return undefined;
    // It may have been rotated, even several times, since the look at the directory: none is passed over.
    const missed = stampAfter(path, last);
    if (missed === undefined || missed === current.rotatedAs()) return current;
    await current.close();
  }
}

function stampAfter(path: string, last: string): string | undefined {
  try {
    return rotationStamps(path).find((stamp) => stamp > last);
  } catch (err) {
    // The directory was removed.
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
}

async function openCurrentIfThere(path: string): Promise<PlainSegment | undefined> {
  try {
    return await openCurrent(path);
  } catch (err) {
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
}
