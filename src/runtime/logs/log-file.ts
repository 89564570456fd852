// The log of one container. It never makes the container wait: what cannot be written is dropped and counted, and a line says how
// many lines are missing as soon as there is room for it. Lines are whole, or not there.
//
// All of it is synchronous: a write to the page cache takes microseconds, and nothing has to be kept in memory in between.

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import {
  type CriLogLine,
  LogLineWriter,
  MAX_LINE_BYTES,
  MAX_PREFIX_BYTES,
} from "./cri-log-line.ts";
import type { LogCompressor } from "./log-compressor.ts";
import { removeOldLogs, rotatedName } from "./rotated-logs.ts";
import type { WallTime } from "./wall-time.ts";

/** The kubelet's defaults: containerLogMaxSize 10Mi, containerLogMaxFiles 5, the one that is written counted. */
export const ROTATION: Rotation = { maxBytes: 10 * 1024 * 1024, maxFiles: 5 };
/** How often to look whether there is room again while the container writes nothing. */
const RETRY_MS = 1000;
const LINE_END = 0x0a;
const MAX_ENTRY_BYTES = MAX_PREFIX_BYTES + MAX_LINE_BYTES + 1;

export interface Rotation {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** Room to put lines together before they are written. One for all logs: it is empty between two reads. */
export class LineBuffer {
  readonly bytes: Buffer = Buffer.allocUnsafeSlow(128 * 1024);
  readonly writer: LogLineWriter = new LogLineWriter();
  usedBytes = 0;
  lines = 0;
}

export interface LogFileOptions {
  readonly path: string;
  readonly buffer: LineBuffer;
  readonly rotation: Rotation;
  readonly time: WallTime;
  readonly clock: Clock;
  readonly compressor: LogCompressor;
}

export class LogFile {
  readonly #options: LogFileOptions;
  #fd: number | undefined;
  #sizeBytes = 0;
  /** Rotated when it is as long. Later than usual after a rotation that failed, so as not to try with every line. */
  #rotateAtBytes: number;
  /** Lines that could not be written since the last one that could. */
  #dropped = 0;
  #reason = "";
  #retry: Disposable | undefined;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#rotateAtBytes = options.rotation.maxBytes;
  }

  get path(): string {
    return this.#options.path;
  }

  /** Makes its directory and itself, or goes on with what is there. A full disk is no failure: lines will be dropped. */
  open(): void {
    try {
      this.#open();
    } catch (err) {
      if (!isErrno(err, "ENOSPC", "EDQUOT")) throw err;
    }
  }

  /** To be followed by flush() before anything else uses the buffer. */
  add(line: CriLogLine): void {
    const { buffer } = this.#options;
    if (buffer.bytes.length - buffer.usedBytes < MAX_ENTRY_BYTES) this.flush();
    buffer.usedBytes = buffer.writer.write(buffer.bytes, buffer.usedBytes, line);
    buffer.lines++;
  }

  flush(): void {
    const { buffer } = this.#options;
    const { usedBytes, lines } = buffer;
    buffer.usedBytes = 0;
    buffer.lines = 0;
    if (lines === 0) return;
    if (!this.#noticed() || !this.#append(buffer.bytes.subarray(0, usedBytes))) {
      this.#dropped += lines;
      this.#retryLater();
    }
  }

  /** Says a last time how many lines are missing, if it can. */
  close(): void {
    this.#noticed();
    this.#retry?.[Symbol.dispose]();
    this.#retry = undefined;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Returns whether nothing is missing that the log does not say. */
  #noticed(): boolean {
    if (this.#dropped === 0) return true;
    const text = `driftless: ${this.#dropped} lines were dropped here: ${this.#reason}`;
    const notice = Buffer.alloc(MAX_PREFIX_BYTES + text.length + 1);
    this.#options.buffer.writer.write(notice, 0, {
      stamp: this.#options.time.stamp(),
      stream: "stderr",
      isPartial: false,
      content: Buffer.from(text, "latin1"),
    });
    if (!this.#append(notice)) return false;
    this.#dropped = 0;
    return true;
  }

  #retryLater(): void {
    this.#retry ??= this.#options.clock.schedule(RETRY_MS, () => {
      this.#retry = undefined;
      if (!this.#noticed()) this.#retryLater();
    });
  }

  /** Whole or not at all. */
  #append(bytes: Uint8Array): boolean {
    try {
      const fd = this.#open();
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      } catch (err) {
        ftruncateSync(fd, this.#sizeBytes);
        throw err;
      }
    } catch (err) {
      this.#reason = reasonOf(err);
      return false;
    }
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes >= this.#rotateAtBytes) this.#rotate();
    return true;
  }

  #open(): number {
    if (this.#fd !== undefined) return this.#fd;
    const { path } = this.#options;
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
    const fd = openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o640);
    try {
      this.#sizeBytes = cutTornLine(fd);
    } catch (err) {
      closeSync(fd);
      throw err;
    }
    this.#fd = fd;
    return fd;
  }

  #rotate(): void {
    const { path, rotation, time, compressor } = this.#options;
    try {
      renameSync(path, rotatedName(path, time));
    } catch {
      // It stays the one that is written: longer than wished, but nothing is lost.
      this.#rotateAtBytes = this.#sizeBytes + rotation.maxBytes;
      return;
    }
    this.#rotateAtBytes = rotation.maxBytes;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    try {
      removeOldLogs(path, rotation.maxFiles - 1);
      this.#open();
    } catch {
      // Too many old logs are better than no new one: the next rotation removes them, the next line opens it.
    }
    compressor.add(path);
  }
}

/** A keeper that was killed may have left the beginning of a line, and nobody has the rest. Returns the size without it. */
function cutTornLine(fd: number): number {
  const { size } = fstatSync(fd);
  const end = Buffer.alloc(Math.min(size, MAX_ENTRY_BYTES));
  const read = readSync(fd, end, 0, end.length, size - end.length);
  const whole = size - read + end.subarray(0, read).lastIndexOf(LINE_END) + 1;
  if (whole < size) ftruncateSync(fd, whole);
  return whole;
}

function reasonOf(err: unknown): string {
  if (isErrno(err, "ENOSPC")) return "no space left on the disk of the log";
  if (isErrno(err, "EDQUOT")) return "the disk quota of the log is used up";
  return `the log cannot be written (${err instanceof Error && "code" in err ? String(err.code) : "unknown"})`;
}
