// A file that is appended to, moved aside when it is large or old, and found again when somebody else moved it.
//
// It only ever holds whole lines, except for its last one while the disk is full, or after a crash: then the next
// opening ends that line, so that what follows can be read.

import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { backupName, backupsToRemove } from "./log-backups.ts";

export interface LogFileOptions {
  readonly path: string;
  /** A file that would become longer is moved aside first. */
  readonly maxBytes: number;
  /** So is one that is older; 0 for never. */
  readonly maxAgeMs: number;
  /** How many files that were moved aside are kept; 0 for all. */
  readonly maxBackups: number;
  /** And for how long; 0 for ever. */
  readonly maxBackupAgeMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Opened {
  readonly handle: FileHandle;
  readonly device: number;
  readonly inode: number;
  /** Pipes and terminals are not moved. */
  readonly isRegular: boolean;
  readonly sinceMs: number;
  bytes: number;
}

const { O_APPEND, O_CREAT, O_RDWR } = constants;
/** The log tells who has which rights and does what: it is nobody else's to read. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** After a rotation that failed. */
const RETRY_MS = 60_000;
const NEWLINE = 0x0a;

export class LogFile {
  readonly #options: LogFileOptions;
  #opened: Opened | undefined;
  #noRotationBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(options: LogFileOptions) {
    this.#options = options;
  }

  /** Makes the directory if it is not there; one that is there keeps its mode. */
  async open(): Promise<void> {
    if (this.#opened !== undefined) return;
    await mkdir(dirname(this.#options.path), { recursive: true, mode: DIRECTORY_MODE });
    this.#opened = await this.#openPath();
  }

  /** Writes bytes from `offset` on, and says how many: fewer than there are if the disk becomes full. */
  async append(bytes: Buffer, offset: number): Promise<number> {
    await this.open();
    const opened = this.#current;
    const { bytesWritten } = await opened.handle.write(bytes, offset, bytes.length - offset, null);
    opened.bytes += bytesWritten;
    return bytesWritten;
  }

  /**
   * Before lines of this length are appended. A rotation that fails is told and tried again later; until then the
   * file grows, which is better than losing what goes into it.
   */
  async rotateIfDue(nextBytes: number): Promise<void> {
    const { clock, logger, path } = this.#options;
    if (!this.#isDue(nextBytes) || clock.monotonicMs() < this.#noRotationBeforeMs) return;
    try {
      await this.#rotate();
    } catch (err) {
      this.#noRotationBeforeMs = clock.monotonicMs() + RETRY_MS;
      logger.warn("cannot rotate a log, and go on with the old file", { file: path, err });
    }
  }

  /**
   * Whether the file is still at its place. If not, it is opened anew, and true means that what was half written is in
   * the other one: write that line again.
   */
  async lookAgain(): Promise<boolean> {
    const { path } = this.#options;
    const old = this.#opened;
    if (old === undefined) return false;
    const there = await statOf(path);
    if (there?.ino === old.inode && there.dev === old.device) {
      const wasCut = there.size < old.bytes;
      old.bytes = there.size;
      return wasCut;
    }
    await mkdir(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
    this.#opened = await this.#openPath();
    await old.handle.close();
    return true;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.handle.close();
  }

  get #current(): Opened {
    if (this.#opened === undefined) throw new Error("Cannot write to the log: it is not open");
    return this.#opened;
  }

  #isDue(nextBytes: number): boolean {
    const opened = this.#opened;
    if (opened === undefined || !opened.isRegular || opened.bytes === 0) return false;
    const { maxBytes, maxAgeMs, clock } = this.#options;
    const isOld = maxAgeMs > 0 && clock.now() - opened.sinceMs >= maxAgeMs;
    return isOld || opened.bytes + nextBytes > maxBytes;
  }

  /**
   * (1) The file moves; writing goes on in it. (2) The new one is opened: if that fails, the next look at the path
   * finds that our file is elsewhere. (3) Only then is the old one left.
   */
  async #rotate(): Promise<void> {
    const { path, clock } = this.#options;
    const old = this.#current;
    let atMs = clock.now();
    while ((await statOf(backupName(path, atMs))) !== undefined) atMs++;
    await rename(path, backupName(path, atMs)); // (1)
    this.#opened = await this.#openPath(); // (2)
    await old.handle.close(); // (3)
    await this.#prune();
  }

  async #prune(): Promise<void> {
    const { path, maxBackups, maxBackupAgeMs, clock } = this.#options;
    const limits = { maxBackups, maxAgeMs: maxBackupAgeMs, nowMs: clock.now() };
    for (const file of await backupsToRemove(path, limits)) await rm(file, { force: true });
  }

  async #openPath(): Promise<Opened> {
    const { path, clock } = this.#options;
    const handle = await open(path, O_APPEND | O_CREAT | O_RDWR, FILE_MODE);
    try {
      const stats = await handle.stat();
      const isRegular = stats.isFile();
      const ended = isRegular ? await endLastLine(handle, stats.size) : 0;
      // Of a file that was there before: since it was made, where the file system knows it.
      const madeMs = stats.size === 0 || stats.birthtimeMs === 0 ? clock.now() : stats.birthtimeMs;
      return {
        handle,
        device: stats.dev,
        inode: stats.ino,
        isRegular,
        sinceMs: Math.min(madeMs, clock.now()),
        bytes: stats.size + ended,
      };
    } catch (err) {
      await handle.close();
      throw err;
    }
  }
}

/** How many bytes that took. */
async function endLastLine(handle: FileHandle, size: number): Promise<number> {
  if (size === 0) return 0;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  if (last[0] === NEWLINE) return 0;
  await handle.write("\n");
  return 1;
}

async function statOf(
  path: string,
): Promise<{ readonly ino: number; readonly dev: number; readonly size: number } | undefined> {
  try {
    return await stat(path);
  } catch (err) {
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
}
