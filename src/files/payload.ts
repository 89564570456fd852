// What a volume should contain. Every rule about names is checked here, before anything on disk is
// touched; a Payload that exists is one that can be written.
//
// A Payload is a value: its hashes are computed once and kept, so that asking "is this what is on
// disk?" costs the same for one key and for ten thousand. Its bytes may be a Secret's, therefore it
// prints as a summary.

import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { compareUtf8, versionOf } from "../base/content-version.ts";
import { checkPath } from "./payload-path.ts";
import { printable } from "./printable.ts";

export interface ProjectedFile {
  /** Must not be changed after it was handed over. */
  readonly data: Uint8Array;
  /** Exact permission bits, 0 to 0o777, whatever the umask. */
  readonly mode: number;
  /** Owner. Left to the writing process when absent. */
  readonly uid?: number | undefined;
  /** Group; that of the volume, if it has one, comes first. Left to the writing process when absent. */
  readonly gid?: number | undefined;
}

export interface PayloadFile extends ProjectedFile {
  /** Relative and normalised. */
  readonly path: string;
}

/** Thrown for a payload that no volume can hold; the message names the key and the rule. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";
}

export class Payload {
  static {
    // The bytes may be a Secret's: printing gives a summary.
    Object.defineProperty(Payload.prototype, inspect.custom, {
      value(this: Payload) {
        return this.toString();
      },
    });
  }

  /** Sorted bytewise by path; no path is a parent of another. */
  readonly files: readonly PayloadFile[];
  /** Every directory that the files need, parents before children. */
  readonly directories: readonly string[];
  /** First segments of all paths: the names that are visible in the volume's root. */
  readonly names: ReadonlySet<string>;
  #version: string | undefined;
  #identity: string | undefined;

  private constructor(files: readonly PayloadFile[], directories: readonly string[]) {
    this.files = files;
    this.directories = directories;
    this.names = new Set(files.map((file) => firstSegment(file.path)));
  }

  /** Throws PayloadError, naming the key, when the entries cannot all be files of one volume. */
  static from(entries: Iterable<readonly [path: string, file: ProjectedFile]>): Payload {
    const spellings = new Map<string, string>();
    const files: PayloadFile[] = [];
    for (const [spelling, file] of entries) {
      const path = normalise(spelling);
      const earlier = spellings.get(path);
      if (earlier !== undefined) {
        throw new PayloadError(
          `Cannot project "${printable(spelling)}": it is the same file as "${printable(earlier)}" in this volume`,
        );
      }
      checkFile(spelling, file);
      spellings.set(path, spelling);
      files.push({ path, data: file.data, mode: file.mode, uid: file.uid, gid: file.gid });
    }
    files.sort((a, b) => compareUtf8(a.path, b.path));
    return new Payload(files, parentsOf(files, spellings));
  }

  /** Content hash: paths and bytes and nothing else, 64 hex digits. */
  get version(): string {
    this.#version ??= versionOf(this.files);
    return this.#version;
  }

  /** Changes with anything that shows on disk: content, modes, owners. */
  get identity(): string {
    this.#identity ??= createHash("sha256")
      .update(this.version)
      .update(this.files.map((file) => `${file.mode}:${file.uid ?? ""}:${file.gid ?? ""}`).join())
      .digest("hex");
    return this.#identity;
  }

  /** Without the version: the hash of a short secret can be guessed. */
  toJSON(): { files: readonly { path: string; bytes: number }[] } {
    return { files: this.files.map((file) => ({ path: file.path, bytes: file.data.length })) };
  }

  toString(): string {
    return `Payload of ${this.files.length} files`;
  }
}

function firstSegment(path: string): string {
  const slash = path.indexOf("/");
  return slash === -1 ? path : path.slice(0, slash);
}

function normalise(spelling: string): string {
  const checked = checkPath(spelling);
  if (!checked.ok)
    throw new PayloadError(`Cannot project "${printable(spelling)}": ${checked.why}`);
  return checked.path;
}

function checkFile(spelling: string, file: ProjectedFile): void {
  if (!Number.isInteger(file.mode) || file.mode < 0 || file.mode > 0o777) {
    throw new PayloadError(
      `Cannot project "${printable(spelling)}": mode ${file.mode} is not between 0 and 0777 (octal)`,
    );
  }
  for (const [id, what] of [
    [file.uid, "user"],
    [file.gid, "group"],
  ] as const) {
    // 2^32 - 1 means "leave unchanged" to chown(2).
    if (id === undefined || (Number.isInteger(id) && id >= 0 && id < 2 ** 32 - 1)) continue;
    throw new PayloadError(`Cannot project "${printable(spelling)}": ${id} is not a ${what} id`);
  }
}

/** All proper ancestors; throws when one of them is itself a file. */
function parentsOf(
  files: readonly PayloadFile[],
  spellings: ReadonlyMap<string, string>,
): string[] {
  const parents = new Set<string>();
  for (const { path } of files) {
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      const parent = path.slice(0, slash);
      if (parents.has(parent)) continue;
      const file = spellings.get(parent);
      if (file !== undefined) {
        throw new PayloadError(
          `Cannot project "${printable(spellings.get(path) ?? path)}": "${printable(file)}" is a file in the same volume, so it cannot be a directory too`,
        );
      }
      parents.add(parent);
    }
  }
  // Bytewise order puts a parent before its children, because it is their prefix.
  return [...parents].sort(compareUtf8);
}
