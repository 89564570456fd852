// What is kept of an image beside its layers: one file for each name, replaced as a whole.

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import type { ImageConfig } from "../image.ts";

export interface ImageRecord {
  readonly version: 1;
  /** Full. */
  readonly name: string;
  readonly id: string;
  readonly manifestDigest: string;
  /** The lowest layer first. */
  readonly diffIds: readonly string[];
  readonly config: ImageConfig;
  readonly sizeBytes: number;
  readonly importedAt: string;
}

export class ImageRecords {
  readonly #directory: string;

  constructor(imagesDirectory: string) {
    this.#directory = join(imagesDirectory, "names");
  }

  get(name: string): ImageRecord | undefined {
    return this.#read(this.#file(name));
  }

  /** In the order of their names. */
  list(): readonly ImageRecord[] {
    if (!existsSync(this.#directory)) return [];
    return readdirSync(this.#directory)
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => this.#read(join(this.#directory, file)) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Instead of what has this name now: the old one or the new one is there at any time. */
  put(record: ImageRecord): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o755 });
    const file = this.#file(record.name);
    const half = `${file}.tmp`;
    const fd = openSync(half, "w", 0o644);
    try {
      writeSync(fd, `${JSON.stringify(record, undefined, 2)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(half, file);
    const directory = openSync(this.#directory, "r");
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }

  remove(name: string): void {
    rmSync(this.#file(name), { force: true });
  }

  #read(file: string): ImageRecord | undefined {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as ImageRecord;
    } catch (err) {
      if (isErrno(err, "ENOENT")) return undefined;
      throw new Error(`Cannot read the image record "${file}"`, { cause: err });
    }
  }

  /** A name may be longer than a file's may be. */
  #file(name: string): string {
    return join(this.#directory, `${createHash("sha256").update(name).digest("hex")}.json`);
  }
}
