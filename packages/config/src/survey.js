// One look at a watched path: what it is now, where its changes would show, and a mark that differs
// once something did change. Looking never reads contents.

import { basename, dirname } from "node:path";
import { follow } from "./links.js";
import { list } from "./plain.js";
import { codeOf, linkMark, locate } from "./volume.js";

/** @import { Location } from "./volume.js" */

/**
 * @typedef {object} Survey
 * @property {"volume" | "plain" | "missing"} kind
 * @property {string} mark Equal marks: there is nothing new to read.
 * @property {Location} [location] Of a volume.
 * @property {Place[]} places
 *
 * @typedef {object} Place
 * @property {string} path A directory (or file) without links on the way.
 * @property {readonly string[] | undefined} names Events of other names do not matter; undefined: all do.
 */

/**
 * @param {string} path absolute
 * @returns {Survey}
 */
export function survey(path) {
  try {
    const location = locate(path);
    if (location !== undefined) return surveyVolume(location);
    return surveyPlain(path);
  } catch (cause) {
    // Gone this instant, or unreadable. Whoever reads it gets the error; here only its place counts.
    const places = turnsOf(path).places;
    return { kind: "missing", mark: `unreadable ${codeOf(cause)}`, places };
  }
}

/**
 * @param {Location} location
 * @returns {Survey}
 */
function surveyVolume(location) {
  const { root } = location;
  const { real, places } = turnsOf(root);
  // Of about five events per swap, only the one of `..data` means that the new version is readable.
  if (real !== undefined) places.push({ path: real, names: ["..data", basename(real)] });
  return { kind: "volume", mark: linkMark(root), places, location };
}

/**
 * @param {string} path
 * @returns {Survey}
 */
function surveyPlain(path) {
  const { real, places } = turnsOf(path);
  if (real === undefined) return { kind: "missing", mark: "missing", places };
  const { isFile, directories, mark } = list(real);
  if (isFile) {
    // The parent shows saves by rename. The file itself shows writes through another name, as with
    // a bind mount of a single file, whose parent here is not its parent there.
    places.push({ path: dirname(real), names: [basename(real), basename(dirname(real))] });
    places.push({ path: real, names: undefined });
  }
  for (const directory of directories) places.push({ path: directory, names: undefined });
  return { kind: "plain", mark: `${real} ${mark}`, places };
}

/** @param {string} path */
function turnsOf(path) {
  const { real, turns } = follow(path);
  /** @type {Place[]} */
  const places = turns.map(({ directory, name }) => ({
    path: directory,
    // An event about the directory itself (moved, removed) carries the directory's own name.
    names: [name, basename(directory)],
  }));
  return { real, places };
}
