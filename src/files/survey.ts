// A look at a volume's root: what is current, what a crash left behind, which links are missing,
// wrong or stale, and what stands in the way. Looks, touches nothing, follows no link.

import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
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
  /** A file or a link to elsewhere is there. */
  readonly replace: readonly string[];
  /** A link of ours, of a key that is gone. */
  readonly remove: readonly string[];
}

export interface Survey {
  /** What `..data` says, for noticing that somebody else changed it. */
  readonly dataTarget: string | undefined;
  /** The directory that `..data` names. Undefined before the first write, or when it was taken away. */
  readonly current: string | undefined;
  /** Version directories that are not current, and temporary links: a crash's, or another writer's. */
  readonly leftovers: readonly string[];
  readonly links: LinkWork;
  /** Directories at the name of a key or of `..data`. They are not ours to remove. */
  readonly obstacles: readonly string[];
}

const TEMPORARY = new Set([DATA_LINK_TMP, DATA_LINK_PREVIOUS, LINK_TMP]);

export function survey(directory: string, names: ReadonlySet<string>): Survey {
  const entries = readdirSync(directory, { withFileTypes: true });
  const target = dataTarget(directory);
  const current = isVersionOf(directory, target) ? target : undefined;
  const leftovers: string[] = [];
  const obstacles: string[] = [];
  const replace: string[] = [];
  const remove: string[] = [];
  const present = new Set<string>();

  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith("..")) {
      if (name === DATA_LINK && entry.isDirectory()) obstacles.push(name);
      if (isLeftover(entry, current)) leftovers.push(name);
    } else if (names.has(name)) {
      present.add(name);
      if (entry.isDirectory()) obstacles.push(name);
      else if (!isOurLink(directory, entry)) replace.push(name);
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
  try {
    return readlinkSync(`${directory}/${DATA_LINK}`);
  } catch (err) {
    if (isErrno(err, "ENOENT", "EINVAL")) return undefined;
    throw err;
  }
}

/** Whether that is the name of a directory of this volume. */
function isVersionOf(directory: string, target: string | undefined): boolean {
  if (target === undefined || !isPlainName(target)) return false;
  const stats = lstatSync(`${directory}/${target}`, { throwIfNoEntry: false });
  return stats?.isDirectory() ?? false;
}

function isLeftover(entry: Dirent, current: string | undefined): boolean {
  if (TEMPORARY.has(entry.name)) return true;
  return entry.isDirectory() && isVersionDirectoryName(entry.name) && entry.name !== current;
}

/** Only a link that says exactly what we would write: others belong to somebody else. */
function isOurLink(directory: string, entry: Dirent): boolean {
  return (
    entry.isSymbolicLink() &&
    readlinkSync(`${directory}/${entry.name}`) === `${DATA_LINK}/${entry.name}`
  );
}
