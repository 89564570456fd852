// The output as plain files, for programs that cannot follow links. Each is replaced by a rename; between the first rename and the last a reader can meet new
// files and old ones, for as long as so many system calls take. A manifest says which files are ours: nothing else is ever removed. The steps:
//
//   (1) look: which files differ, which of ours are gone from the set, what of somebody else's is in the way
//   (2) manifest: the files of the old set and of the new, before the first of them is written, so that a crash leaves none that nobody knows
//   (3) write all that differ beside their places, synced: a full disk ends here, and nothing has changed
//   (4) rename them, one right after the other
//   (5) remove those that are gone, not before (4), then directories of theirs that are empty
//   (6) manifest: the new set
//
// Whatever is cut short is done again from (1) by the next write of the same set, which is the first thing that the next life does.

import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstatSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { describe, isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { checkPath } from "../../files/payload-path.ts";
import type { Candidate, CandidateFile } from "../publisher.ts";
import { ensureDirectory } from "./ensure-directory.ts";
import { insidePath } from "./inside-path.ts";
import type { Output } from "./output.ts";
import { readPlain } from "./read-plain.ts";
import { replaceFile, syncDirectory, writeNew } from "./replace-file.ts";

/** Begins as what readers of configuration directories leave alone. */
const MANIFEST = "..driftless-files";

/** These are no fault of a place: the same may happen to the next file. */
const OF_THE_DISK = ["ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM"] as const;

export interface FilesOutputOptions {
  readonly directory: string;
  readonly removesOthers: boolean;
  readonly takesOver: boolean;
  /** Absolute paths lead out of the directory. Otherwise there are none. */
  readonly allowsOutside: boolean;
  /**
   * The manifest of those, at a place that nobody else can write: who can change the output must not choose what is removed elsewhere. Undefined: they are not
   * known to another life.
   */
  readonly outsideManifest?: string | undefined;
  /** A file whose place cannot be had is left out, and `leftOut` says so; otherwise it keeps all from being written. */
  readonly leavesOut: boolean;
  /** Others write here, too; this is our name among them. Otherwise the directory is one writer's. */
  readonly share?: string | undefined;
  readonly logger: Logger;
}

export class FilesOutput implements Output {
  readonly #options: FilesOutputOptions;
  /** Of files that have had the content that they should: what does not change by itself is not read again. */
  #stamps = new Map<string, { readonly stamp: string; readonly data: Uint8Array }>();

  /** What a crash in (3) left is gone. */
  #isSwept = false;
  /** Why, by path: files of the last set that could not be written. */
  #refused = new Map<string, string>();

  constructor(options: FilesOutputOptions) {
    // One spelling: what is below it is told by comparing.
    this.#options = { ...options, directory: resolve(options.directory) };
  }

  write({ files }: Candidate): "written" | "unchanged" {
    const { directory, removesOthers } = this.#options;
    this.#refused = new Map();
    ensureDirectory(directory);
    const ours = this.#manifest(); // (1)
    if (!this.#isSwept) this.#sweep(ours);
    const wanted = [...files].filter(([path, file]) => this.#isToWrite(path, file, ours));
    const gone = removesOthers ? [...ours].filter((path) => !files.has(path)) : [];
    const isKnown = this.#possible(files.keys()).every((path) => ours.has(path));
    if (wanted.length === 0 && gone.length === 0 && isKnown) return "unchanged";
    const both = [...ours, ...this.#possible(files.keys())];
    this.#note(both); // (2)
    const isWritten = this.#exchange(wanted) > 0; // (3) (4)
    const left = gone.filter((path) => !this.#remove(path)); // (5)
    this.#note(removesOthers ? [...this.#possible(files.keys()), ...left] : both); // (6)
    return isWritten || gone.length > left.length ? "written" : "unchanged";
  }

  leftOut(): string | undefined {
    return this.#refused.size === 0 ? undefined : [...this.#refused.values()].join("; ");
  }

  obstacle({ files }: Candidate): string | undefined {
    // What is in the way of one stops no others then.
    if (this.#options.leavesOut) return undefined;
    const ours = this.#manifest();
    try {
      for (const path of files.keys()) this.#refuseObstacles(path, ours);
      return undefined;
    } catch (err) {
      return describe(err);
    }
  }

  upkeep(): undefined {
    return undefined;
  }

  read(): ReadonlyMap<string, Uint8Array> {
    const found = new Map<string, Uint8Array>();
    for (const path of this.#manifest()) {
      try {
        const data = readPlain(this.#place(path));
        if (data !== undefined) found.set(path, data);
      } catch (err) {
        if (!isErrno(err, "ENOENT", "ENOTDIR")) throw err;
      }
    }
    return found;
  }

  #sweep(ours: ReadonlySet<string>): void {
    for (const path of ours) {
      const isReached = this.#linkAbove(path) === undefined;
      if (isReached) rmSync(this.#temporary(this.#place(path)), { force: true });
    }
    this.#isSwept = true;
  }

  /** How many were written. */
  #exchange(wanted: readonly (readonly [string, CandidateFile])[]): number {
    const made = new Map<string, CandidateFile>();
    try {
      for (const [path, file] of wanted) {
        this.#guarded(path, () => {
          const { data, mode, owner } = file;
          const place = this.#place(path);
          ensureDirectory(dirname(place), 0o755);
          made.set(path, file);
          writeNew(this.#temporary(place), [data], { mode, owner });
        });
      }
      for (const path of this.#possible(made.keys())) {
        const place = this.#place(path);
        this.#guarded(path, () => renameSync(this.#temporary(place), place));
      }
      for (const path of this.#refused.keys()) {
        if (made.delete(path)) rmSync(this.#temporary(this.#place(path)), { force: true });
      }
    } catch (err) {
      for (const path of made.keys()) rmSync(this.#temporary(this.#place(path)), { force: true });
      throw err;
    }
    for (const parent of new Set([...made.keys()].map((path) => dirname(this.#place(path))))) {
      syncDirectory(parent);
    }
    for (const [path, { data }] of made) this.#remember(path, data);
    return made.size;
  }

  #isToWrite(path: string, file: CandidateFile, ours: ReadonlySet<string>): boolean {
    const isToWrite = this.#guarded(path, () => {
      refuseBadPath(path, this.#options);
      if (this.#isAsWanted(path, file)) return false;
      this.#refuseObstacles(path, ours);
      return true;
    });
    return isToWrite === true;
  }

  /** Undefined if this one file is left out. What is wrong with the whole disk stops all. */
  #guarded<T>(path: string, act: () => T): T | undefined {
    try {
      return act();
    } catch (err) {
      if (!this.#options.leavesOut || isErrno(err, ...OF_THE_DISK)) throw err;
      const text = describe(err);
      this.#refused.set(path, text.includes(path) ? text : `Cannot write "${path}": ${text}`);
      return undefined;
    }
  }

  #possible(paths: Iterable<string>): readonly string[] {
    return [...paths].filter((path) => !this.#refused.has(path));
  }

  #isAsWanted(path: string, { data, mode, owner }: CandidateFile): boolean {
    const place = this.#place(path);
    const stats = statOf(place);
    if (stats?.isFile() !== true || Number(stats.mode & 0o7777n) !== mode) return false;
    if (!isOwnedBy(stats, owner)) return false;
    if (Number(stats.size) !== data.length) return false;
    const known = this.#stamps.get(path);
    if (known?.stamp === stampOf(stats) && Buffer.compare(known.data, data) === 0) return true;
    if (readPlain(place)?.equals(data) !== true) return false;
    this.#remember(path, data);
    return true;
  }

  #remember(path: string, data: Uint8Array): void {
    const stats = statOf(this.#place(path));
    if (stats !== undefined) this.#stamps.set(path, { stamp: stampOf(stats), data });
  }

  #refuseObstacles(path: string, ours: ReadonlySet<string>): void {
    const link = this.#linkAbove(path);
    if (link !== undefined) throw new Error(`Cannot write "${path}": "${link}" is no directory`);
    const stats = statOf(this.#place(path));
    if (stats === undefined) return;
    if (!stats.isDirectory() && (this.#options.takesOver || ours.has(path))) return;
    const what = stats.isDirectory() ? "a directory" : "a file that the sidecar did not write";
    throw new Error(`Cannot write "${path}": ${what} is in its place; remove it or choose another`);
  }

  /** Of ours, and then the directories above it that are empty now, up to the output. False if it has to stay for now. */
  #remove(path: string): boolean {
    this.#stamps.delete(path);
    if (this.#linkAbove(path) !== undefined) return true; // Then it is not there any more.
    const isGone = this.#guarded(path, () => this.#removeFile(path));
    if (isGone === true) this.#removeEmpty(dirname(this.#place(path)));
    return isGone !== undefined;
  }

  /** False if it is not ours any more. */
  #removeFile(path: string): boolean {
    const place = this.#place(path);
    rmSync(this.#temporary(place), { force: true });
    if (statOf(place)?.isDirectory() === true) {
      this.#options.logger.warn("somebody made a directory of a file of the output", { path });
      return false;
    }
    rmSync(place, { force: true });
    return true;
  }

  #removeEmpty(from: string): void {
    for (let one = from; one.startsWith(`${this.#options.directory}/`); one = dirname(one)) {
      try {
        rmdirSync(one);
      } catch {
        return; // It is not empty, or somebody else's: it stays.
      }
    }
  }

  /** Below the output links are not followed: what is behind one is somewhere else. Also what is a file where a directory should be. */
  #linkAbove(path: string): string | undefined {
    const { directory } = this.#options;
    for (
      let one = dirname(this.#place(path));
      one.startsWith(`${directory}/`);
      one = dirname(one)
    ) {
      if (statOf(one)?.isDirectory() === false) return one;
    }
    return undefined;
  }

  /** Short, whatever the name; the same each time, so that what a crash left is replaced. Does not end as the file does: patterns do not find it. */
  #temporary(place: string): string {
    const { share = "" } = this.#options;
    const name = createHash("sha256")
      .update(basename(place) + share)
      .digest("hex")
      .slice(0, 16);
    return join(dirname(place), `..driftless-new.${name}`);
  }

  get #manifestPath(): string {
    const { directory, share } = this.#options;
    return join(directory, share === undefined ? MANIFEST : `${MANIFEST}.${share}`);
  }

  #place(path: string): string {
    return isAbsolute(path) ? path : join(this.#options.directory, path);
  }

  /** Whoever can write the output can write the one that is in it: nothing in that leads out. */
  #manifest(): ReadonlySet<string> {
    const { outsideManifest } = this.#options;
    const inside = pathsIn(this.#manifestPath).filter((path) => checkPath(path).ok);
    return new Set([...inside, ...(outsideManifest ? pathsIn(outsideManifest) : [])]);
  }

  #note(paths: Iterable<string>): void {
    const { outsideManifest } = this.#options;
    const all = [...new Set(paths)].toSorted();
    const outside = all.filter((path) => isAbsolute(path));
    if (outsideManifest !== undefined && !isSame(pathsIn(outsideManifest), outside)) {
      replaceFile(outsideManifest, [listOf(outside)], { mode: 0o600 });
    }
    const inside = all.filter((path) => !isAbsolute(path));
    replaceFile(this.#manifestPath, [listOf(inside)], { mode: 0o644 });
  }
}

function listOf(paths: readonly string[]): Buffer {
  return Buffer.from(`${JSON.stringify(paths)}\n`);
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}

/** Empty if there is no manifest, or none that this program has written. */
function pathsIn(manifest: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(readPlain(manifest)?.toString() ?? "null");
    if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  } catch (err) {
    if (!isErrno(err, "ENOENT") && !(err instanceof SyntaxError)) throw err;
  }
  return [];
}

function refuseBadPath(path: string, { allowsOutside }: FilesOutputOptions): void {
  const checked = checkPath(allowsOutside ? insidePath(path) : path);
  if (!checked.ok) throw new Error(`Cannot write "${path}": ${checked.why}`);
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (err) {
    if (isErrno(err, "ENOTDIR")) return undefined;
    throw err;
  }
}

/** By anybody, if nobody is named. */
function isOwnedBy({ uid, gid }: BigIntStats, owner: CandidateFile["owner"]): boolean {
  return owner === undefined || (Number(uid) === owner.uid && Number(gid) === owner.gid);
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
