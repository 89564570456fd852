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
    if (location !== undefined) return surveyVolume(path, location);
    return surveyPlain(path);
  } catch (cause) {
    // Gone this instant, or unreadable. Whoever reads it gets the error; here only its place counts:
    // what mends it shows at the path itself or in its parent.
    const { real, places } = turnsOf(path);
    if (real !== undefined) places.push(...aroundOf(real));
    return { kind: "missing", mark: `unreadable ${codeOf(cause)}`, places };
  }
}

/**
 * @param {string} path
 * @param {Location} location
 * @returns {Survey}
 */
function surveyVolume(path, location) {
  const { real, places } = turnsOf(location.root);
  // Of about five events per swap, only the one of `..data` means that the new version is readable.
  if (real !== undefined) places.push({ path: real, names: ["..data", basename(real)] });
  // Links on the way into the volume, and the one beside `..data`. What is inside a version never
  // changes and goes with it.
  for (const place of turnsOf(path).places) {
    if (real === undefined || !place.path.startsWith(`${real}/`)) places.push(place);
  }
  return { kind: "volume", mark: linkMark(location), places, location };
}

/**
 * @param {string} path
 * @returns {Survey}
 */
function surveyPlain(path) {
  const { real, places } = turnsOf(path);
  if (real === undefined) return { kind: "missing", mark: "missing", places };
  const { isFile, directories, mark } = list(real);
  if (isFile) places.push(...aroundOf(real));
  for (const directory of directories) places.push({ path: directory, names: undefined });
  return { kind: "plain", mark: `${real} ${mark}`, places };
}

/**
 * The parent shows saves by rename. The file itself shows writes through another name, as with a
 * bind mount of a single file, whose parent here is not its parent there.
 * @param {string} real
 * @returns {Place[]}
 */
function aroundOf(real) {
  const parent = dirname(real);
  return [
    { path: parent, names: [basename(real), basename(parent)] },
    { path: real, names: undefined },
  ];
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
