// Reads plain files and directories: a laptop without any volume. There is no commit point here, so
// the identity of everything is noted before and after reading and must be the same.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { codeOf } from "./volume.js";

// More is not configuration but somebody's home directory, or links that multiply.
const maxEntries = 100_000;

/**
 * @typedef {object} Listing
 * @property {boolean} isFile
 * @property {{ key: string, path: string }[]} files
 * @property {string[]} directories All directories, the top one included.
 * @property {string} mark Equal marks: nothing was written, added or removed between two listings.
 */

// What editors put beside a file while it is open or being saved: swap files, backups, the lock of
// Emacs, and the name with which vim tries whether it may write.
const leftover = /^\..*\.sw[opx]$|~$|^4913$|^\.#/s;

/**
 * Lists the regular files below a path. Links are followed; one that leads nowhere, or back to a
 * directory that it is in, counts as absent. Names that begin with ".." and what editors leave
 * behind are left out.
 * @param {string} path
 * @returns {Listing}
 */
export function list(path) {
  const top = statSync(path, { bigint: true });
  if (top.isFile()) {
    const files = [{ key: basename(path), path }];
    return { isFile: true, files, directories: [], mark: identity(top) };
  }
  if (!top.isDirectory()) throw new Error("it is neither a regular file nor a directory");

  const marks = createHash("sha256");
  /** @type {Listing["files"]} */
  const files = [];
  /** @type {string[]} */
  const directories = [];
  // `above`: the directories that a path goes through; meeting one again means a loop.
  const pending = [{ key: "", path, stats: top, above: new Set([inodeOf(top)]) }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { above } = next;
    directories.push(next.path);
    marks.update(`${next.key}\0${identity(next.stats)}\n`);
    for (const child of childrenOf(next)) {
      const inode = inodeOf(child.stats);
      if (child.stats.isFile()) {
        files.push({ key: child.key, path: child.path });
        marks.update(`${child.key}\0${identity(child.stats)}\n`);
      } else if (child.stats.isDirectory() && !above.has(inode)) {
        pending.push({ ...child, above: new Set(above).add(inode) });
      }
    }
    if (files.length + directories.length + pending.length > maxEntries) {
      throw new Error(`it holds more than ${maxEntries} files; point to the configuration alone`);
    }
  }
  return { isFile: false, files, directories, mark: marks.digest("hex") };
}

/** @param {{ key: string, path: string }} directory */
function* childrenOf({ key, path }) {
  for (const name of readdirSync(path)) {
    if (name.startsWith("..") || leftover.test(name)) continue;
    const child = `${path}/${name}`;
    const stats = statOrAbsent(child);
    if (stats !== undefined)
      yield { key: key === "" ? name : `${key}/${name}`, path: child, stats };
  }
}

/**
 * One attempt. `moved`: something was written, added or removed meanwhile.
 * @param {string} path
 * @param {(path: string) => Buffer} [readFile]
 * @returns {import("./volume.js").Content | "moved"}
 */
export function readPlain(path, readFile = (file) => readFileSync(file)) {
  const before = list(path);
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  try {
    for (const file of before.files) files.set(file.key, readFile(file.path));
    if (list(path).mark !== before.mark) return "moved";
  } catch (cause) {
    if (isGone(cause)) return "moved";
    throw cause;
  }
  return { files, isFile: before.isFile };
}

/** @param {import("node:fs").BigIntStats} stats */
function identity({ dev, ino, size, mtimeNs, ctimeNs }) {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** @param {import("node:fs").BigIntStats} stats */
export function inodeOf({ dev, ino }) {
  return `${dev}:${ino}`;
}

/** @param {string} path */
function statOrAbsent(path) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (cause) {
    if (codeOf(cause) === "ELOOP") return undefined;
    throw cause;
  }
}

/** @param {unknown} cause */
function isGone(cause) {
  return ["ENOENT", "ENOTDIR", "ESTALE", "ELOOP", "EISDIR"].includes(codeOf(cause) ?? "");
}
