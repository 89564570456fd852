// Names on disk. They are the kubelet's, so that every watcher written for Kubernetes works:
//
//   ..2026_08_20_18_59_46.1234567890/   one version: a real directory
//   ..data -> ..2026_08_20_18_59_46.1234567890
//   app.yaml -> ..data/app.yaml         one link per first path segment

import type { Random } from "../base/random.ts";

export const DATA_LINK = "..data";
/** Exists only between steps 8 and 9 of a write, and after a crash there. */
export const DATA_LINK_TMP = "..data_tmp";
/** The way back while top-level links are being made; gone at the end of the write. */
export const DATA_LINK_PREVIOUS = "..data_prev";
/** A top-level link on its way over something else that stood at its name. */
export const LINK_TMP = "..link_tmp";
/** Inside a version's directory: its VersionRecord. No key can have this name. */
export const VERSION_FILE = "..version";

const VERSION_DIRECTORY = /^\.\.\d{4}_\d{2}_\d{2}_\d{2}_\d{2}_\d{2}\.(\d{1,10})$/;

/** 22 bits of process id (the kernel's PID_MAX_LIMIT) and 10 bits of sequence make the 32 bits. */
const SEQUENCE_VALUES = 1024;

/**
 * Names for the versions of one writer. The number at the end is not random as the kubelet's: it carries
 * the id of the process, so that a version in the making can be told from the leftover of a crash as soon
 * as its directory exists. No name of a writer comes back: watchers tell versions by their names.
 */
export class VersionNames {
  readonly #pid: number;
  readonly #offset: number;
  #second = 0;
  #count = 0;

  /** `random` spreads the numbers of writers that follow each other within a second. */
  constructor(pid: number, random: Random) {
    this.#pid = pid % 2 ** 22;
    this.#offset = random.uint32() % SEQUENCE_VALUES;
  }

  next(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    // A clock that was set back, or a second with no number left: the last second goes on, or the next begins.
    if (second > this.#second) [this.#second, this.#count] = [second, 0];
    else if (this.#count === SEQUENCE_VALUES) [this.#second, this.#count] = [this.#second + 1, 0];
    const sequence = (this.#offset + this.#count++) % SEQUENCE_VALUES;
    const stamp = new Date(this.#second * 1000).toISOString().slice(0, 19).replace(/[-:T]/g, "_");
    return `..${stamp}.${this.#pid * SEQUENCE_VALUES + sequence}`;
  }
}

/** The process that made this version. A kubelet's name gives a random answer. */
export function creatorOf(name: string): number | undefined {
  const number = VERSION_DIRECTORY.exec(name)?.[1];
  return number === undefined ? undefined : Math.floor(Number(number) / SEQUENCE_VALUES);
}

export function isVersionDirectoryName(name: string): boolean {
  return VERSION_DIRECTORY.test(name);
}

/** A link target that names an entry of the volume itself, as `..data` must. */
export function isPlainName(target: string): boolean {
  return target !== "" && target !== "." && target !== ".." && !target.includes("/");
}
