// What the writer remembers of a volume between two writes, so that "nothing changed" costs three
// system calls and not a walk. Adding, removing or renaming an entry changes a directory's times;
// so if the root and the version's directory have the times that they had when we last looked at
// everything, then the links and names are as they were. Contents and modes of single files are not
// covered: finding tampering there is what deep verification is for.

import { lstatSync, readlinkSync, type Stats, statSync } from "node:fs";
import { DATA_LINK } from "./layout.ts";

export interface RootFacts {
  /** Payload.identity and Payload.version of what is visible. */
  readonly identity: string;
  readonly version: string;
  /** Name of the version's directory. */
  readonly current: string;
  /** Names of the top-level links. */
  readonly names: ReadonlySet<string>;
}

export interface RootMemory extends RootFacts {
  readonly root: Stamp;
  readonly versionDirectory: Stamp;
  /**
   * False when the stamps were taken so soon after the last change that another change in the same
   * tick of the kernel's clock would have left them equal.
   */
  readonly settled: boolean;
}

interface Stamp {
  readonly ino: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
}

/** The kernel's coarse clock ticks at 100 Hz at the slowest. Twice that, to be clear of rounding. */
const TICK_MS = 20;

/** To be called when everything was just looked at or just written, at `nowMs` by the wall clock. */
export function remember(directory: string, facts: RootFacts, nowMs: number): RootMemory {
  const root = statSync(directory);
  const versionDirectory = lstatSync(`${directory}/${facts.current}`);
  const { identity, version, current, names } = facts;
  return {
    identity,
    version,
    current,
    names,
    root: stampOf(root),
    versionDirectory: stampOf(versionDirectory),
    settled: nowMs - Math.max(root.ctimeMs, versionDirectory.ctimeMs) > TICK_MS,
  };
}

/** Whether the volume is as remembered. Throws nothing: what cannot be looked at does not hold. */
export function stillHolds(memory: RootMemory, directory: string): boolean {
  if (!memory.settled) return false;
  try {
    return (
      readlinkSync(`${directory}/${DATA_LINK}`) === memory.current &&
      sameStamp(memory.root, statSync(directory)) &&
      sameStamp(memory.versionDirectory, lstatSync(`${directory}/${memory.current}`))
    );
  } catch {
    return false; // Something is missing: the full look that follows says what.
  }
}

function stampOf(stats: Stats): Stamp {
  return { ino: stats.ino, ctimeMs: stats.ctimeMs, mtimeMs: stats.mtimeMs };
}

function sameStamp(stamp: Stamp, stats: Stats): boolean {
  return (
    stamp.ino === stats.ino && stamp.ctimeMs === stats.ctimeMs && stamp.mtimeMs === stats.mtimeMs
  );
}
