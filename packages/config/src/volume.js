// Reads one version of a volume. A volume is a directory with a link `..data` to the directory of
// its current version; a version is never modified after the link points to it, only removed after
// the link points elsewhere. Reading is therefore: pin the link, read, look at the link again.

import { constants, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { follow } from "./links.js";

const plainFile = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * @typedef {object} Location A place in a volume.
 * @property {string} root The directory that holds `..data`.
 * @property {string} inner The path below a version's directory, "" for all of it.
 *
 * @typedef {object} Content
 * @property {ReadonlyMap<string, Buffer>} files
 * @property {boolean} isFile
 */

/**
 * Finds the volume that a path belongs to, also through links from elsewhere and through `..data`.
 * @param {string} path absolute
 * @returns {Location | undefined}
 */
export function locate(path) {
  const found = climb(path);
  if (found !== undefined) return found;
  const { real } = follow(path);
  return real === undefined || real === path ? undefined : climb(real);
}

/**
 * @param {string} path
 * @returns {Location | undefined}
 */
function climb(path) {
  let inner = "";
  for (let root = path; ; root = dirname(root)) {
    if (look(join(root, "..data"))?.isSymbolicLink()) return inside(root, inner);
    if (root === dirname(root)) return undefined;
    inner = join(basename(root), inner);
  }
}

/**
 * @param {string} root
 * @param {string} inner
 * @returns {Location | undefined}
 */
function inside(root, inner) {
  const [first = "", ...rest] = inner.split("/").filter((segment) => segment !== "");
  if (first === "") return { root, inner: "" };
  if (first.startsWith("..")) return { root, inner: rest.join("/") };
  // A real file or directory beside `..data`, such as another mount, is not part of the volume.
  const visible = look(join(root, first));
  if (visible !== undefined && !visible.isSymbolicLink()) return undefined;
  return { root, inner: [first, ...rest].join("/") };
}

/** @param {string} path */
function look(path) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // Forbidden: whoever reads the path itself gets the proper error.
  }
}

/**
 * What `..data` is at this moment. A different mark means a different version, another place, or a
 * volume that was removed and built again under the same names. Throws when there is no link.
 * @param {Location} location
 */
export function linkMark({ root, inner }) {
  const link = join(root, "..data");
  const { dev, ino, ctimeNs } = lstatSync(link, { bigint: true });
  return `${readlinkSync(link)} ${dev} ${ino} ${ctimeNs} ${root} ${inner}`;
}

/**
 * One attempt. `moved`: the link was turned meanwhile. `vanished`: there is no link at this moment.
 * @param {Location} location
 * @returns {Content | "moved" | "vanished"}
 */
export function readPinned({ root, inner }) {
  // (1) Pin. From here on every path goes through the version's own directory, never through `..data`.
  const target = targetOf(root);
  if (target === undefined) return "vanished";
  if (target.includes("/") || target === "." || target === "..") {
    throw new Error(
      `its ..data link points to "${target}", which is not a name inside the volume; let the writer repair it`,
    );
  }
  // (2) Read. The version may be removed under our hands: files may be missing, and a directory
  // that is half removed lists fine but too short.
  /** @type {Content | undefined} */
  let content;
  /** @type {unknown} */
  let failure;
  try {
    content = readTree(join(root, target), inner);
  } catch (cause) {
    failure = cause;
  }
  // (3) Look again. Only an unturned link proves that the removal had not begun.
  const after = targetOf(root);
  if (after === undefined) return "vanished";
  if (after !== target) return "moved";
  if (content === undefined) throw failure;
  return content;
}

/**
 * Undefined when there is no such link at this moment.
 * @param {string} root
 */
function targetOf(root) {
  try {
    return readlinkSync(join(root, "..data"));
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ESTALE" || code === "EINVAL") {
      return undefined;
    }
    throw cause;
  }
}

/**
 * @param {string} directory
 * @param {string} inner
 * @returns {Content}
 */
function readTree(directory, inner) {
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  const start = join(directory, inner);
  const file = inner === "" ? undefined : readIfFile(start);
  if (file !== undefined) return { files: files.set(basename(inner), file), isFile: true };
  const pending = [""];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const entry of readdirSync(join(start, below), { withFileTypes: true })) {
      // At the top of a version, names with two dots are the writer's notes.
      if (below === "" && inner === "" && entry.name.startsWith("..")) continue;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile()) files.set(path, readFileSync(`${start}/${path}`));
    }
  }
  return { files, isFile: false };
}

/**
 * Undefined for a directory. Neither a link nor a pipe makes it wait or leads it away.
 * @param {string} path
 */
function readIfFile(path) {
  try {
    return readFileSync(path, { flag: plainFile });
  } catch (cause) {
    if (codeOf(cause) === "EISDIR") return undefined;
    throw cause;
  }
}

/**
 * @param {unknown} cause
 * @returns {string | undefined}
 */
export function codeOf(cause) {
  if (!(cause instanceof Error) || !("code" in cause)) return undefined;
  return typeof cause.code === "string" ? cause.code : undefined;
}
