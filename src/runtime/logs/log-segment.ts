// One file of a log, read forwards in pieces of whole lines. It stays readable when it is renamed, compressed or removed meanwhile: what is
// open stays. How it is called now tells its place among the others.

import { readlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline, Readable } from "node:stream";
import { isErrno } from "../../base/errors.ts";
import { rotationStampOf } from "./rotated-logs.ts";

const LINE_END = 0x0a;
/** Of one read. Longer than any line. */
export const BLOCK_BYTES: number = 64 * 1024;
const DELETED = " (deleted)";

export interface LogSegment {
  /** Whole lines, good until the next call; undefined if there are no more now. */
  next(): Promise<Buffer | undefined>;
  /** The name that it got when it was rotated; undefined if it is the one that is written. */
  rotatedAs(): string | undefined;
  /** It has no name any more. */
  isRemoved(): boolean;
  close(): Promise<void>;
}

/** A file that may still grow. */
export class PlainSegment implements LogSegment {
  readonly handle: FileHandle;
  readonly #logPath: string;
  readonly #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  /** Where the next line begins. A torn one at the end is read again: it may be cut off, as on a full disk. */
  offset = 0;
  /** What is written behind it is not of interest. */
  endsAt: number = Number.POSITIVE_INFINITY;

  constructor(logPath: string, handle: FileHandle) {
    this.#logPath = logPath;
    this.handle = handle;
  }

  async next(): Promise<Buffer | undefined> {
    const wanted = Math.min(BLOCK_BYTES, this.endsAt - this.offset);
    if (wanted <= 0) return undefined;
    const { bytesRead } = await this.handle.read(this.#block, 0, wanted, this.offset);
    const bytes = this.#block.subarray(0, bytesRead);
    const length = bytes.lastIndexOf(LINE_END) + 1;
    if (length === 0) {
      // No line is as long as the block: that is no log, and is passed over.
      if (bytesRead === BLOCK_BYTES) this.offset += bytesRead;
      else if (bytesRead === 0) await this.#stepBack();
      return bytesRead === BLOCK_BYTES ? bytes.subarray(0, 0) : undefined;
    }
    this.offset += length;
    return bytes.subarray(0, length);
  }

  rotatedAs(): string | undefined {
    const name = basename(this.#link());
    const end = name.endsWith(DELETED) ? -DELETED.length : name.length;
    return rotationStampOf(this.#logPath, name.slice(0, end));
  }

  isRemoved(): boolean {
    return this.#link().endsWith(DELETED);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  #link(): string {
    return readlinkSync(`/proc/self/fd/${this.handle.fd}`);
  }

  /** Lines that did not fit on the disk were seen before they were cut off. */
  async #stepBack(): Promise<void> {
    const { size } = await this.handle.stat();
    this.offset = Math.min(this.offset, size);
  }
}

export class CompressedSegment implements LogSegment {
  readonly handle: FileHandle;
  readonly #stamp: string;
  #bytes: AsyncIterator<Buffer, undefined> | undefined;
  #rest = Buffer.alloc(0);

  constructor(stamp: string, handle: FileHandle) {
    this.#stamp = stamp;
    this.handle = handle;
  }

  async next(): Promise<Buffer | undefined> {
    this.#bytes ??= await this.#inflate();
    const { value } = await this.#bytes.next();
    if (value === undefined) return undefined;
    const bytes = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    const length = bytes.lastIndexOf(LINE_END) + 1;
    // No line is as long: that is no log.
    this.#rest = Buffer.from(
      bytes.subarray(bytes.length - length > BLOCK_BYTES ? bytes.length : length),
    );
    return bytes.subarray(0, length);
  }

  rotatedAs(): string {
    return this.#stamp;
  }

  isRemoved(): boolean {
    return false;
  }

  /** From the beginning. */
  async rewind(): Promise<void> {
    await this.#bytes?.return?.();
    this.#bytes = undefined;
    this.#rest = Buffer.alloc(0);
  }

  async close(): Promise<void> {
    await this.rewind();
    await this.handle.close();
  }

  async #inflate(): Promise<AsyncIterator<Buffer, undefined>> {
    // Loaded when it is needed, as most logs are never rotated.
    const { createGunzip } = await import("node:zlib");
    const output = createGunzip();
    // A failure of either is one of the output, and so of its reader.
    pipeline(Readable.from(blocksOf(this.handle)), output, () => undefined);
    return output.iterator() as AsyncIterator<Buffer, undefined>;
  }
}

async function* blocksOf(handle: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The one that is written. Throws ENOENT if there is none, as for an instant while it is rotated. */
export async function openCurrent(logPath: string): Promise<PlainSegment> {
  return new PlainSegment(logPath, await open(logPath, "r"));
}

/** Undefined if it is gone. */
export async function openRotated(
  logPath: string,
  stamp: string,
): Promise<PlainSegment | CompressedSegment | undefined> {
  const path = `${logPath}.${stamp}`;
  const plain = await opened(path);
  if (plain) return new PlainSegment(logPath, plain);
  const compressed = await opened(`${path}.gz`);
  return compressed && new CompressedSegment(stamp, compressed);
}

async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (err) {
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
}
