// Reads a path as one version. In a volume: pin the link, read below what it points to, look at the link again; only a link that was not turned proves that
// nothing was removed meanwhile. Elsewhere there is no such point: everything must be the same before and after.

import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statfsSync,
} from "node:fs";
import { basename, join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import {
  type Excludes,
  identity,
  type Look,
  listed,
  MAX_FILES,
  statOf,
  type VolumePlace,
} from "./path-look.ts";

interface ReadFile {
  readonly data: Uint8Array;
  /** Nobody but its owner may read it, or it is in a volume in memory, where Secrets are. */
  readonly isPrivate: boolean;
}

export interface ReadPath {
  readonly files: ReadonlyMap<string, ReadFile>;
  readonly isFile: boolean;
}

const MAX_BYTES = 64 * 1024 * 1024;
const TMPFS = 0x01021994;
/** A pipe that somebody put there makes nobody wait. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** One attempt. "moved": it changed meanwhile, try again. Throws what the system says, and for what is too large. */
export function readPath(path: string, look: Look, excludes: Excludes): ReadPath | "moved" {
  try {
    return look.volume === undefined ? readPlain(path, excludes) : readPinned(look.volume);
  } catch (err) {
    if (isErrno(err, "ENOENT", "ENOTDIR", "ESTALE", "ELOOP", "EISDIR")) return "moved";
    throw err;
  }
}

function readPinned({ root, inner }: VolumePlace): ReadPath | "moved" {
  const link = join(root, "..data");
  const target = readlinkSync(link);
  if (target.includes("/") || target === "." || target === "..") {
    throw new Error(`its ..data points to "${target}", which is no name inside the volume`);
  }
  const isPrivate = statfsSync(root).type === TMPFS;
  const read = readVersion(join(root, target, inner), inner, new Reader(isPrivate));
  return readlinkSync(link) === target ? read : "moved";
}

function readVersion(start: string, inner: string, reader: Reader): ReadPath {
  if (statOf(start)?.isFile() === true) {
    reader.read(basename(inner), start);
    return { files: reader.files, isFile: true };
  }
  const pending = [""];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const entry of readdirSync(join(start, below), { withFileTypes: true })) {
      if (below === "" && inner === "" && entry.name.startsWith("..")) continue;
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) pending.push(name);
      else if (entry.isFile()) reader.read(name, join(start, name));
    }
  }
  return { files: reader.files, isFile: false };
}

function readPlain(path: string, excludes: Excludes): ReadPath | "moved" {
  const reader = new Reader(false);
  const stats = statOf(path);
  if (stats === undefined) return "moved";
  if (stats.isFile()) {
    reader.read(basename(path), path);
    const after = statOf(path);
    const isSame = after !== undefined && identity(after) === identity(stats);
    return isSame ? { files: reader.files, isFile: true } : "moved";
  }
  const before = listed(path, excludes);
  for (const name of before.files.keys()) reader.read(name, join(path, name));
  return listed(path, excludes).mark === before.mark
    ? { files: reader.files, isFile: false }
    : "moved";
}

class Reader {
  readonly files = new Map<string, ReadFile>();
  readonly #isPrivate: boolean;
  #bytes = 0;

  constructor(isPrivate: boolean) {
    this.#isPrivate = isPrivate;
  }

  read(name: string, path: string): void {
    const descriptor = openSync(path, FLAGS);
    try {
      const stats = fstatSync(descriptor);
      this.#bytes += stats.size;
      if (this.#bytes > MAX_BYTES) throw new Error(`it holds more than ${MAX_BYTES} bytes`);
      if (this.files.size >= MAX_FILES) throw new Error(`it holds more than ${MAX_FILES} files`);
      if (!stats.isFile()) return;
      const isPrivate = this.#isPrivate || (stats.mode & 0o077) === 0;
      this.files.set(name, { data: readFileSync(descriptor), isPrivate });
    } finally {
      closeSync(descriptor);
    }
  }
}
