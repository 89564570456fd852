// Walks a path one component at a time, the way the kernel does, and notes every symbolic link on
// the way: each of them can be turned to somewhere else, so each is a place to watch.

import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";

// The kernel gives up after 40 as well.
const maxLinks = 40;

/**
 * @typedef {object} Route
 * @property {string | undefined} real The path without links; undefined when it leads nowhere.
 * @property {{ directory: string, name: string }[]} turns
 *   The links on the way and, when the path leads nowhere, the first name that is missing.
 */

/**
 * @param {string} path absolute
 * @returns {Route}
 */
export function follow(path) {
  /** @type {Route["turns"]} */
  const turns = [];
  let rest = path.split("/");
  let directory = "/";
  for (let links = 0; rest.length > 0; ) {
    const name = rest.shift() ?? "";
    if (name === "" || name === ".") continue;
    if (name === "..") {
      directory = dirname(directory);
      continue;
    }
    const target = look(join(directory, name));
    if (target === "nothing") return { real: undefined, turns: [...turns, { directory, name }] };
    if (target === "here") {
      directory = join(directory, name);
      continue;
    }
    turns.push({ directory, name });
    links += 1;
    if (links > maxLinks) return { real: undefined, turns };
    rest = [...target.link.split("/"), ...rest];
    if (target.link.startsWith("/")) directory = "/";
  }
  return { real: directory, turns };
}

/**
 * @param {string} path
 * @returns {"nothing" | "here" | { link: string }}
 */
function look(path) {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "nothing";
    return found.isSymbolicLink() ? { link: readlinkSync(path) } : "here";
  } catch {
    return "nothing"; // Forbidden, or replaced this instant: either way nothing can be read here now.
  }
}
