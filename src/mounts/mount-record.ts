// What is mounted where a container sees a part of a volume, on disk, for whoever comes after us. It is written before a mount is
// put beneath another one, with both, and again when the upper one is gone: what was interrupted can be told from what others did.

import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import type { MountMark } from "./mount-mark.ts";

export interface MountNote {
  readonly shown: MountMark;
  /** Of the volume, when it was mounted. */
  readonly version: string | undefined;
  /** Is being put beneath it. */
  readonly next?: { readonly mark: MountMark; readonly version: string | undefined };
}

/** By the path that the container's maker gave. */
export type MountRecord = Map<string, MountNote>;

/** A longer file is written anew, unless what it has to say is nearly as long. */
const MAX_BYTES = 256 * 1024;
const MAX_REPETITIONS = 8;
/** Of containers; of others the file is read again. */
const MAX_REMEMBERED = 1000;

interface Remembered {
  readonly record: MountRecord;
  /** Of the file, as we left it. */
  readonly bytes: number;
  /** Of all that it has to say, said once. */
  readonly wholeBytes: number;
}

/** Records by their files, of which this is the only writer: what it wrote it need not read. */
export class MountRecords {
  readonly #remembered = new Map<string, Remembered>();

  /** Empty if there is none: then all is as it was at the container's start. `isOfBefore`: it has what a former life wrote. */
  read(path: string): { readonly record: MountRecord; readonly isOfBefore: boolean } {
    const known = this.#remembered.get(path);
    if (known !== undefined && known.bytes === sizeOf(path)) {
      return { record: known.record, isOfBefore: false };
    }
    const record: MountRecord = new Map();
    const text = textOf(path);
    for (const line of text.split("\n")) {
      for (const [name, note] of Object.entries(parsed(line))) record.set(name, note);
    }
    this.#remember(path, { record, bytes: Buffer.byteLength(text), wholeBytes: 0 });
    return { record, isOfBefore: text !== "" };
  }

  /**
   * Adds what is new, a line at a time: a file that is replaced by rename is written to the disk at once, which takes longer than
   * everything else together. Its directory must be there: it goes with the pod. Not synced: containers do not outlive the machine.
   */
  write(path: string, record: MountRecord, names: Iterable<string>): void {
    const { bytes, wholeBytes } = this.#remembered.get(path) ?? { bytes: 0, wholeBytes: 0 };
    // If it fails, what is on the disk counts.
    this.#remembered.delete(path);
    if (bytes > Math.max(MAX_BYTES, MAX_REPETITIONS * wholeBytes)) {
      const whole = lineOf(record, record.keys());
      writeFileSync(`${path}.tmp`, whole, { mode: 0o600 });
      renameSync(`${path}.tmp`, path);
      this.#remember(path, { record, bytes: whole.length, wholeBytes: whole.length });
    } else {
      const line = lineOf(record, names);
      appendFileSync(path, line, { mode: 0o600 });
      this.#remember(path, { record, bytes: bytes + line.length, wholeBytes });
    }
  }

  #remember(path: string, what: Remembered): void {
    this.#remembered.delete(path);
    this.#remembered.set(path, what);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) {
      this.#remembered.delete(oldest);
    }
  }
}

/** It begins a line of its own, also after one whose writer was killed. */
function lineOf(record: MountRecord, names: Iterable<string>): Buffer {
  const notes = [...names].map((name) => [name, record.get(name)] as const);
  return Buffer.from(`\n${JSON.stringify(Object.fromEntries(notes))}\n`);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (err) {
    if (isErrno(err, "ENOENT")) return "";
    throw err;
  }
}

/** Nothing was done after a line that is not whole. */
function parsed(line: string): Readonly<Record<string, MountNote>> {
  try {
    return line === "" ? {} : (JSON.parse(line) as Readonly<Record<string, MountNote>>);
  } catch {
    return {};
  }
}
