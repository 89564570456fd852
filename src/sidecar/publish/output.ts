// Where a set of files becomes visible. Three kinds: a `..data` volume, plain files, nothing.

import type { Candidate } from "../publisher.ts";

export interface Output {
  /** What is live, as --dry-run compares it: files by path. Empty if there is nothing. */
  read(): ReadonlyMap<string, Uint8Array>;
  /**
   * Makes the set live; mends what somebody broke if it is already. Throws with what failed; what was live then still is, whole (for plain files: each).
   * Synchronous: nothing of this process comes between two steps.
   */
  write(candidate: Candidate): "written" | "unchanged";
  /** Why the set could not be written, as far as looking tells; undefined if nothing is known to be in the way. */
  obstacle(candidate: Candidate): string | undefined;
  /** Which files of the last set could not be written, and why, where that stops no others; undefined for none. */
  leftOut?(): string | undefined;
  /** Removes what has had its time. Milliseconds until there is more to do, or undefined. */
  upkeep(): number | undefined;
}

/** Nothing is written: watch and tell only. */
export class NoOutput implements Output {
  #version: string | undefined;

  read(): ReadonlyMap<string, Uint8Array> {
    return new Map();
  }

  write({ version }: Candidate): "written" | "unchanged" {
    const isNew = version !== this.#version;
    this.#version = version;
    return isNew ? "written" : "unchanged";
  }

  obstacle(): undefined {
    return undefined;
  }

  upkeep(): undefined {
    return undefined;
  }
}
