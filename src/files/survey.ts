// A look at a volume's root: what is current, what a crash left behind, which links are missing,
// wrong or stale, and what stands in the way. Looks, touches nothing, follows no link.

import { type Dirent, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";
import { isErrno } from "../base/errors.ts";
import {
  DATA_LINK,
  DATA_LINK_PREVIOUS,
  DATA_LINK_TMP,
  isPlainName,
  isVersionDirectoryName,
  LINK_TMP,
} from "./layout.ts";

/** Top-level links that differ from what a payload's names ask for. */
export interface LinkWork {
  /** Nothing is there. */
  readonly create: readonly string[];
  /** A file, a link to elsewhere, or a link of another group is there. */
  readonly replace: readonly string[];
  /** A link of ours, of a key that is gone. */
  readonly remove: readonly string[];
}

export interface Survey {
  /** What `..data` says, for noticing that somebody else changed it. */
  readonly dataTarget: string | undefined;
  /** The directory that `..data` leads to. Undefined before the first write, or when it was taken away. */
  readonly current: string | undefined;
  /** Version directories that are not current, and temporary links: a crash's, or another writer's. */
  readonly leftovers: readonly string[];
  readonly links: LinkWork;
  /** Directories at the name of a key or of `..data`. They are not ours to remove. */
  readonly obstacles: readonly string[];
}

const TEMPORARY = new Set([DATA_LINK_TMP, DATA_LINK_PREVIOUS, LINK_TMP]);

export function survey(
  directory: string,
  names: ReadonlySet<string>,
  fsGroup: number | undefined,
): Survey {
  const entries = readdirSync(directory, { withFileTypes: true });
  const target = dataTarget(directory);
  const current = visibleVersion(directory, target);
  const leftovers: string[] = [];
  const obstacles: string[] = [];
  const replace: string[] = [];
  const remove: string[] = [];
  const present = new Set<string>();

  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith("..")) {
      if (name === DATA_LINK && entry.isDirectory()) obstacles.push(name);
      if (isLeftover(entry) && name !== current) leftovers.push(name);
    } else if (names.has(name)) {
      present.add(name);
      if (entry.isDirectory()) obstacles.push(name);
      else if (!isOurLink(directory, entry) || !hasGroup(directory, name, fsGroup))
        replace.push(name);
    } else if (isOurLink(directory, entry)) {
      remove.push(name);
    }
  }
  const create = [...names].filter((name) => !present.has(name));
  const links = { create, replace, remove };
  return { dataTarget: target, current, leftovers, obstacles, links };
}

/** What `..data` says, whether or not there is such a directory. Undefined when it is missing or no link. */
export function dataTarget(directory: string): string | undefined {
  return linkTarget(`${directory}/${DATA_LINK}`);
}

/**
 * The directory of this volume that readers see through `..data`, however the link spells it: what they
 * see must not be swept as a leftover.
 */
function visibleVersion(directory: string, target: string | undefined): string | undefined {
  if (target === undefined) return undefined;
  const name = isPlainName(target) ? target : basename(target);
  const entry = lstatSync(`${directory}/${name}`, { throwIfNoEntry: false });
  if (!entry?.isDirectory()) return undefined;
  if (name === target) return name;
  try {
    const seen = statSync(`${directory}/${DATA_LINK}`);
    return seen.ino === entry.ino && seen.dev === entry.dev ? name : undefined;
  } catch {
    return undefined; // It leads nowhere.
  }
}

/** A version that is not known to be current, or one of our temporary links. */
function isLeftover(entry: Dirent): boolean {
  return TEMPORARY.has(entry.name) || (entry.isDirectory() && isVersionDirectoryName(entry.name));
}

/** Only a link that says exactly what we would write: others belong to somebody else. */
export function isOurLink(directory: string, entry: Pick<Dirent, "name">): boolean {
  return linkTarget(`${directory}/${entry.name}`) === `${DATA_LINK}/${entry.name}`;
}

function hasGroup(directory: string, name: string, fsGroup: number | undefined): boolean {
  return fsGroup === undefined || lstatSync(`${directory}/${name}`).gid === fsGroup;
}

/** Undefined for what is no link, or not there: gone meanwhile, or with a name that is not UTF-8. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (err) {
    if (isErrno(err, "ENOENT", "EINVAL", "ENOTDIR")) return undefined;
    throw err;
  }
}
