// All files of a directory, of one version. A volume is pinned: what `..data` names is read, and it must still be named when that is done.
// A plain directory is read until two looks are the same.

import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isErrno } from "../base/errors.ts";
import { type Files, versionOfFiles } from "./settings.ts";

export interface DirectoryContent {
  readonly files: Files;
  /** Where something must happen when the content changes. */
  readonly watched: readonly string[];
  readonly isVolume: boolean;
}

const MAX_FILES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TRIES = 50;

/** A directory, a volume, or one file. Throws with what is the matter. */
export function readDirectory(path: string): DirectoryContent {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      const content = lookAt(path);
      if (content !== undefined) return content;
    } catch (err) {
      // Something went away while it was read: unless it is the place itself, look again.
      if (!isErrno(err, "ENOENT", "ENOTDIR") || !exists(path)) throw err;
    }
  }
  throw new Error(`${path} changed during each of ${MAX_TRIES} looks at it`);
}

function lookAt(path: string): DirectoryContent | undefined {
  if (!statSync(path).isDirectory()) {
    const files = new Map([[basename(path), readFileSync(path)]]);
    return { files, watched: [dirname(path)], isVolume: false };
  }
  const target = linkOf(path);
  if (target !== undefined) {
    const { files } = readTree(join(path, target));
    return linkOf(path) === target ? { files, watched: [path], isVolume: true } : undefined;
  }
  const first = readTree(path);
  const second = readTree(path);
  if (versionOfFiles(first.files) !== versionOfFiles(second.files)) return undefined;
  // A directory of a volume is a link, and another one is there after each switch.
  const around = lstatSync(path).isSymbolicLink() ? [dirname(path)] : [];
  return { files: second.files, watched: [...second.directories, ...around], isVolume: false };
}

function readTree(root: string): {
  readonly files: Map<string, Uint8Array>;
  readonly directories: readonly string[];
} {
  const files = new Map<string, Uint8Array>();
  const directories: string[] = [];
  let bytes = 0;
  const visit = (directory: string, prefix: string): void => {
    directories.push(directory);
    for (const { name } of readdirSync(directory, { withFileTypes: true })) {
      // The volume's own: links, versions, records.
      if (prefix === "" && name.startsWith("..")) continue;
      const path = join(directory, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory()) {
        if (!lstatSync(path).isSymbolicLink()) visit(path, `${prefix}${name}/`);
      } else if (stat?.isFile()) {
        bytes += stat.size;
        if (bytes > MAX_BYTES || files.size >= MAX_FILES) throw tooLarge(root);
        files.set(`${prefix}${name}`, readFileSync(path));
      }
    }
  };
  visit(root, "");
  return { files, directories };
}

function tooLarge(root: string): Error {
  return new Error(
    `${root} is too large to be watched: at most ${MAX_FILES} files of ${MAX_BYTES / 2 ** 20} MiB together`,
  );
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(join(path, "..data"));
  } catch (err) {
    if (isErrno(err, "ENOENT", "EINVAL")) return undefined;
    throw err;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
