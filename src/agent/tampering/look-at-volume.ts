// Whether a config volume shows what was written into it, or somebody else has changed it since. Two looks: a quick one at times, which nobody
// can set back, and a thorough one at contents. A version's record is written last, so whatever in it changed after its record was changed by
// somebody else.

import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { compareUtf8, versionOf } from "../../base/content-version.ts";
import { DATA_LINK, VERSION_FILE } from "../../files/layout.ts";

/** What the agent has written. */
export interface WrittenVersion {
  /** The volume's directory. */
  readonly root: string;
  /** The version's, in it. */
  readonly directory: string;
  /** Content hash. */
  readonly version: string;
}

interface Entry {
  /** Below the version's directory. */
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Something was touched after it was written. Not yet that it is another content: modes change the same times. */
export function wasTouched(written: WrittenVersion): boolean {
  try {
    return isTouched(written) || brokenLinks(written).length > 0;
  } catch {
    return true; // Something is not there any more.
  }
}

/** Names of what was changed in a version that the volume has just ceased to show. */
export function tamperedBefore(written: WrittenVersion): readonly string[] {
  try {
    return isTouched(written) ? changedFiles(written, []) : [];
  } catch {
    return []; // It is gone with all its files, so whoever sees one sees what was written.
  }
}

function isTouched(written: WrittenVersion): boolean {
  const { entries, recordNs } = entriesOf(written);
  return entries.some(({ stats }) => isLater(stats, recordNs));
}

/** Directories of the version, its own first: what happens in them is what matters. */
export function directoriesOf({ root, directory }: WrittenVersion): readonly string[] {
  const path = `${root}/${directory}`;
  const below = readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  return [path, ...below];
}

/**
 * Names of what is not as it was written: paths below the volume, "..data" for the whole of it. Empty: everything is. Reads all contents.
 */
export function tamperedFiles(written: WrittenVersion): readonly string[] {
  try {
    const links = brokenLinks(written);
    return links.includes(DATA_LINK) ? [DATA_LINK] : changedFiles(written, links);
  } catch {
    return [DATA_LINK]; // The version is gone, or cannot be read.
  }
}

/** With the links that are wrong. Throws for what cannot be read. */
function changedFiles(written: WrittenVersion, links: readonly string[]): readonly string[] {
  const { entries, recordNs } = entriesOf(written);
  if (links.length === 0 && contentVersion(written, entries) === written.version) return [];
  const later = entries.filter(({ stats }) => isLater(stats, recordNs));
  const files = later.filter(({ stats }) => !stats.isDirectory()).map(({ path }) => path);
  const directories = later.map(({ path }) => path).filter((path) => path !== "");
  const names = new Set([...links, ...(files.length > 0 ? files : directories)]);
  // Whoever set the clock back can hide which file it is, not that one is.
  return names.size === 0 ? [DATA_LINK] : [...names].toSorted(compareUtf8);
}

/** Everything in the version but its record, and the version's directory itself as "". */
function entriesOf({ root, directory }: WrittenVersion): {
  readonly entries: readonly Entry[];
  readonly recordNs: bigint;
} {
  const top = `${root}/${directory}`;
  const statsOf = (path: string): BigIntStats => lstatSync(`${top}/${path}`, { bigint: true });
  const below = readdirSync(top, { withFileTypes: true, recursive: true })
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(top.length + 1))
    .filter((path) => path !== VERSION_FILE);
  return {
    entries: ["", ...below].map((path) => ({ path, stats: statsOf(path) })),
    recordNs: statsOf(VERSION_FILE).ctimeNs,
  };
}

/** A directory's own time is that of its entries: the record was made in the first. */
function isLater(stats: BigIntStats, recordNs: bigint): boolean {
  return stats.ctimeNs > recordNs;
}

/** Throws for what cannot be read. Anything but files and directories is no content of ours. */
function contentVersion({ root, directory }: WrittenVersion, entries: readonly Entry[]): string {
  const files = entries.filter(({ stats }) => !stats.isDirectory());
  if (files.some(({ stats }) => !stats.isFile())) return "";
  const sorted = files.toSorted((a, b) => compareUtf8(a.path, b.path));
  return versionOf(
    sorted.map(({ path }) => ({ path, data: readFileSync(`${root}/${directory}/${path}`) })),
  );
}

/** The way into the version: "..data", and for each of its names a link beside it. Others' names beside them are not ours. */
function brokenLinks({ root, directory }: WrittenVersion): readonly string[] {
  if (targetOf(`${root}/${DATA_LINK}`) !== directory) return [DATA_LINK];
  const shown = readdirSync(root).filter((name) => !name.startsWith(".."));
  const kept = new Set(readdirSync(`${root}/${directory}`));
  const dangling = shown.filter(
    (name) => targetOf(`${root}/${name}`) === `${DATA_LINK}/${name}` && !kept.has(name),
  );
  const missing = [...kept].filter(
    (name) => name !== VERSION_FILE && targetOf(`${root}/${name}`) !== `${DATA_LINK}/${name}`,
  );
  return [...dangling, ...missing];
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // It is gone, or no link.
  }
}
