// One look at a path: what it is now, where its changes would show, and a mark that differs once something did change. Looking never reads contents.
//
// A volume is a directory with a link `..data` to the directory of its version. Of the events that one swap makes, only that of `..data` means that the new
// version can be read; a watch on a file or on the version itself dies with the first swap. So the directory is watched, for that one name.

import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isErrno } from "../../base/errors.ts";

export interface Place {
  readonly path: string;
  /** Events of other names do not matter; undefined: all do. */
  readonly names: ReadonlySet<string> | undefined;
}

export interface Look {
  readonly state: "volume" | "plain" | "missing";
  /** Equal marks: there is nothing new to read. */
  readonly mark: string;
  readonly places: readonly Place[];
  readonly volume?: VolumePlace;
}

/** A place in a volume. */
export interface VolumePlace {
  /** The directory that holds `..data`. */
  readonly root: string;
  /** Below a version's directory; "" for all of it. */
  readonly inner: string;
}

/** More is not configuration but somebody's home directory. */
export const MAX_FILES = 10_000;
/** Swap files, backups and locks of editors, and the name with which vim tries whether it may write. */
const LEFTOVER = /^\..*\.sw[opx]$|~$|^4913$|^\.#/s;

/** Paths below it that are not part of it: what we write ourselves is no source. */
export type Excludes = ReadonlySet<string>;

const NOTHING: Excludes = new Set();

/** Throws what the system says about a path that is there but cannot be looked at. */
export function lookAt(path: string, excludes: Excludes = NOTHING): Look {
  const volume = volumeOf(path);
  const stats = statOf(path);
  if (volume !== undefined) return volumeLook(path, volume, stats !== undefined);
  if (stats === undefined) return { state: "missing", mark: "missing", places: [nearest(path)] };
  const parent = { path: dirname(path), names: new Set([basename(path)]) };
  if (stats.isFile()) {
    // The file itself shows writes through another name, as with a bind mount of a single file.
    const places = [parent, { path, names: undefined }];
    return { state: "plain", mark: identity(stats), places };
  }
  if (!stats.isDirectory()) throw new Error("it is neither a regular file nor a directory");
  const { mark, directories } = listed(path, excludes);
  const places = [parent, ...directories.map((one) => ({ path: one, names: undefined }))];
  return { state: "plain", mark, places };
}

function volumeLook(path: string, volume: VolumePlace, isThere: boolean): Look {
  const { root } = volume;
  const link = join(root, "..data");
  const { ino, ctimeNs } = lstatSync(link, { bigint: true });
  const places = [
    { path: root, names: new Set(["..data"]) },
    { path: dirname(root), names: new Set([basename(root)]) },
  ];
  const mark = `${readlinkSync(link)} ${ino} ${ctimeNs} ${root} ${path}`;
  return { state: isThere ? "volume" : "missing", mark, places, volume };
}

/** The volume that a path belongs to, if it does. */
function volumeOf(path: string): VolumePlace | undefined {
  let inner = "";
  for (let root = path; ; root = dirname(root)) {
    if (isLink(join(root, "..data"))) {
      const [first = ""] = inner.split("/");
      // A real file or directory beside `..data`, such as another mount, is not part of the volume.
      const isPart =
        first === "" || isLink(join(root, first)) || statOf(join(root, first)) === undefined;
      return isPart ? { root, inner } : undefined;
    }
    if (root === dirname(root)) return undefined;
    inner = inner === "" ? basename(root) : `${basename(root)}/${inner}`;
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false; // Not a directory on the way, or forbidden: whoever reads the path gets the proper error.
  }
}

/** Undefined when there is nothing. */
export function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (err) {
    if (isErrno(err, "ENOTDIR", "ELOOP")) return undefined;
    throw err;
  }
}

/** Where the first part of the path that is missing would appear. */
function nearest(path: string): Place {
  let missing = path;
  while (missing !== dirname(missing) && statOf(dirname(missing))?.isDirectory() !== true) {
    missing = dirname(missing);
  }
  return { path: dirname(missing), names: new Set([basename(missing)]) };
}

export interface Listing {
  readonly mark: string;
  /** By name below the directory. */
  readonly files: ReadonlyMap<string, BigIntStats>;
  readonly directories: readonly string[];
}

/** The regular files below a directory. Links are followed, not back to where they come from; what editors leave behind is left out. */
export function listed(path: string, excludes: Excludes = NOTHING): Listing {
  const marks = createHash("sha256");
  const files = new Map<string, BigIntStats>();
  const directories: string[] = [];
  const pending: Branch[] = [{ key: "", path, above: new Set() }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    directories.push(next.path);
    for (const { stats, ...child } of childrenOf(next, excludes)) {
      const place = `${stats.dev} ${stats.ino}`;
      if (stats.isFile()) files.set(child.key, stats);
      else if (stats.isDirectory() && !next.above.has(place)) {
        pending.push({ ...child, above: new Set(next.above).add(place) });
      } else continue;
      marks.update(`${child.key}\0${identity(stats)}\n`);
    }
    if (files.size + directories.length + pending.length > MAX_FILES) {
      throw new Error(`it holds more than ${MAX_FILES} files`);
    }
  }
  return { mark: marks.digest("hex"), files, directories };
}

interface Branch {
  /** Name below the directory that was asked for. */
  readonly key: string;
  readonly path: string;
  /** The directories on the way to it. */
  readonly above: ReadonlySet<string>;
}

function* childrenOf(
  { key, path }: Branch,
  excludes: Excludes,
): Generator<{ readonly key: string; readonly path: string; readonly stats: BigIntStats }> {
  for (const name of readdirSync(path).sort()) {
    const child = { key: key === "" ? name : `${key}/${name}`, path: join(path, name) };
    if (name.startsWith("..") || LEFTOVER.test(name) || excludes.has(child.path)) continue;
    const stats = statOf(child.path);
    if (stats !== undefined) yield { ...child, stats };
  }
}

export function identity({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
