// What the writer remembers of a volume between two writes, so that "nothing changed" costs three
// system calls and not a walk. Adding, removing or renaming an entry changes a directory's times;
// so if the root has the times that they had when we last looked at
// everything, then the links and names are as they were; the same goes for every directory of the version.
// Contents and modes of single files are not covered: finding those is what deep verification is for.

import { readlinkSync, type Stats, statSync } from "node:fs";
import { DATA_LINK } from "./layout.ts";

export interface RootFacts {
  /** Payload.identity and Payload.version of what is visible. */
  readonly identity: string;
  readonly version: string;
  /** Name of the version's directory. */
  readonly current: string;
  /** Names of the top-level links. */
  readonly names: ReadonlySet<string>;
  /** Directories of the version, below its own. */
  readonly directories: readonly string[];
}

export interface RootMemory extends RootFacts {
  /** Of the root, the version's directory and all directories in it, in this order. */
  readonly stamps: readonly Stamp[];
}

interface Stamp {
  readonly ino: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
}

/**
 * Times this old are worth remembering: a change in the same tick of the file system's clock would leave
 * them equal. Two seconds is the coarsest there is.
 */
const SETTLED_MS = 2_100;

/**
 * To be called when everything was just looked at, at `nowMs` by the wall clock. Undefined when the last
 * change is too fresh to be told from another one.
 */
export function remember(
  directory: string,
  facts: RootFacts,
  nowMs: number,
): RootMemory | undefined {
  const stamps = placesOf(directory, facts).map((path) => stampOf(statSync(path)));
  const newest = Math.max(...stamps.map((stamp) => stamp.ctimeMs));
  return nowMs - newest > SETTLED_MS ? { ...facts, stamps } : undefined;
}

/** Whether the volume is as remembered. Throws nothing: what cannot be looked at does not hold. */
export function stillHolds(memory: RootMemory, directory: string): boolean {
  try {
    return (
      readlinkSync(`${directory}/${DATA_LINK}`) === memory.current &&
      placesOf(directory, memory).every((path, i) => sameStamp(memory.stamps[i], statSync(path)))
    );
  } catch {
    return false; // Something is missing: the full look that follows says what.
  }
}

function placesOf(directory: string, { current, directories }: RootFacts): string[] {
  const version = `${directory}/${current}`;
  return [directory, version, ...directories.map((path) => `${version}/${path}`)];
}

function stampOf(stats: Stats): Stamp {
  return { ino: stats.ino, ctimeMs: stats.ctimeMs, mtimeMs: stats.mtimeMs };
}

function sameStamp(stamp: Stamp | undefined, stats: Stats): boolean {
  return (
    stamp?.ino === stats.ino && stamp.ctimeMs === stats.ctimeMs && stamp.mtimeMs === stats.mtimeMs
  );
}
