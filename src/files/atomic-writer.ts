// Writes a volume so that readers see one whole version or the next, and nothing between.
//
// The algorithm is Kubernetes' AtomicWriter (same names, same order, same commit point) with its
// known faults mended; docs/adr/0003-atomic-writer.md lists them. The steps of a write:
//
//    (1) refuse paths that are too long below this directory; the payload's other rules hold already
//    (2) look: where `..data` leads, what a crash left behind, what stands in the way
//    (3) if nothing differs, mend the links and stop here
//    (4) sweep the leftovers, so that their space is free for what comes
//    (5) make the version's directory
//    (6) write the version record, then every file with its owner and mode
//    (7) give the volume's root to the group
//    (8) link `..data_tmp` to the new version and, if (10) has work to do, `..data_prev` to the old
//    (9) rename `..data_tmp` over `..data`: the commit. Before it readers have the old version
//        whatever happens, after it the new one
//   (10) make the links of new keys and, if asked to, sync; if that fails, `..data_prev` goes back
//   (11) remove the links of keys that are gone: not before (9), or the old version would lose them
//   (12) remove the old version, or keep it for its grace time
//
// All of it is synchronous: a burst of short system calls, for which the thread pool would cost more
// than the calls themselves, and nothing else in this process can run between two steps.

import { chmodSync, existsSync, lchownSync, renameSync, statSync, unlinkSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { isErrno } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { compareVersion, type Difference } from "./compare-version.ts";
import {
  DATA_LINK,
  DATA_LINK_PREVIOUS,
  DATA_LINK_TMP,
  VERSION_FILE,
  versionDirectoryName,
} from "./layout.ts";
import { makeLink, makeLinks, removeLinks, undoLinks } from "./links.ts";
import { rootModeForGroup, UNCHANGED } from "./ownership.ts";
import type { Payload } from "./payload.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { refuseLivingWriter, refuseLongPaths, refuseObstacles } from "./refusals.ts";
import { RetiredVersions, removeTree } from "./retired-versions.ts";
import { type RootMemory, remember, stillHolds } from "./root-memory.ts";
import { dataTarget, type LinkWork, type Survey, survey } from "./survey.ts";
import { createVersion, discardVersion, syncDirectory } from "./version-directory.ts";
import { WriteError } from "./write-error.ts";

export interface AtomicWriterOptions {
  /** The volume: an absolute path of a directory that exists. */
  readonly directory: string;
  /** Everything belongs to this group and is readable for it. Default: left to the process. */
  readonly fsGroup?: number | undefined;
  /**
   * Sync files and directories, so that a version that was reported as written survives a power
   * cut. Default false: a volume is rebuilt from its object, and syncing costs five times the write.
   */
  readonly durable?: boolean;
  /**
   * How long a replaced version stays for readers that are on their way into it. Default 0, as the
   * kubelet: then an open(2) through a plain path that meets a swap in its middle can fail with
   * ENOENT, because the kernel has followed `..data` and finds the directory empty.
   */
  readonly keepPreviousMs?: number;
  /** The process that writes: `currentProcess()`. */
  readonly self: ProcessIdentity;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface WriteResult {
  /** `written`: a new version is visible. `repaired`: links were mended. `unchanged`: nothing was touched. */
  readonly outcome: "written" | "repaired" | "unchanged";
  /** Content hash of what is visible now. */
  readonly version: string;
  /** The directory that `..data` names now. */
  readonly versionDirectory: string;
  /** Why it was written: `first`, or what differed. Undefined when it was not. */
  readonly difference:
    | Difference
    | { readonly reason: "first"; readonly path: undefined }
    | undefined;
}

/**
 * Keeps one directory equal to the payload it was last given. Whatever fails, what was visible
 * before stays visible and whole, and write throws a WriteError that names the file.
 *
 * One writer per directory. A second one in another process is noticed and refused in all but the
 * narrowest of races; what loses such a race is an update, which the next write brings back.
 */
export class AtomicWriter {
  readonly #options: AtomicWriterOptions;
  readonly #retired: RetiredVersions;
  /** Undefined whenever the last look was not followed by a whole success. */
  #memory: RootMemory | undefined;

  constructor(options: AtomicWriterOptions) {
    this.#options = options;
    this.#retired = new RetiredVersions(options);
  }

  /**
   * Makes the directory show `payload`. With `verify: "deep"` file contents are read and compared,
   * and whatever was tampered with is written anew; without, names, links and (unless nothing moved
   * since the last look) sizes, modes and owners are.
   */
  write(payload: Payload, options: { readonly verify?: "deep" } = {}): WriteResult {
    try {
      this.sweep();
      return this.#write(payload, options.verify === "deep");
    } catch (err) {
      this.#memory = undefined;
      throw WriteError.from({ directory: this.#options.directory, path: "" }, err);
    }
  }

  /**
   * Removes replaced versions whose grace time is over. Every write does; call it when no write is
   * due. Returns the milliseconds until the next is due, or undefined when none is kept.
   */
  sweep(): number | undefined {
    const held = this.#retired.anyExpired() ? this.#recall() : undefined;
    if (this.#retired.removeExpired() && held !== undefined) {
      // Removing an entry changed the root's times, and nothing else.
      this.#memory = remember(this.#options.directory, held, this.#options.clock.now());
    }
    return this.#retired.nextExpiryMs();
  }

  #write(payload: Payload, deep: boolean): WriteResult {
    const { directory } = this.#options;
    const memory = deep ? undefined : this.#recall(); // (2)
    if (memory?.identity === payload.identity) return unchanged(payload, memory.current);
    refuseLongPaths(directory, payload); // (1)
    const seen =
      memory === undefined ? survey(directory, payload.names) : fromMemory(memory, payload);
    refuseObstacles(directory, seen);
    const leftovers = this.#leftovers(seen);
    refuseLivingWriter(directory, leftovers, this.#options.self);
    const difference = this.#difference(payload, seen.current, { memory, deep });

    if (difference === undefined && seen.current !== undefined) {
      // (3)
      const repaired = linksToMake(seen.links) + seen.links.remove.length + leftovers.length > 0;
      const swept = this.#sweepLeftovers(leftovers);
      makeLinks(directory, seen.links, this.#options.fsGroup);
      const dropped = this.#dropLinks(seen.links.remove);
      this.#memory = swept && dropped ? this.#remember(payload, seen.current) : undefined;
      const result = unchanged(payload, seen.current);
      return repaired ? { ...result, outcome: "repaired" } : result;
    }

    this.#sweepLeftovers(leftovers); // (4)
    const name = this.#swapWithRetry(payload, seen);
    return {
      outcome: "written",
      version: payload.version,
      versionDirectory: name,
      difference: difference ?? { reason: "first", path: undefined },
    };
  }

  /** A full disk gives up the versions in their grace time before it gives up the new one. */
  #swapWithRetry(payload: Payload, seen: Survey): string {
    try {
      return this.#swap(payload, seen);
    } catch (err) {
      if (!isErrno((err as WriteError).cause, "ENOSPC", "EDQUOT") || !this.#retired.removeAll())
        throw err;
      return this.#swap(payload, seen);
    }
  }

  #swap(payload: Payload, seen: Survey): string {
    const { directory, fsGroup, durable = false } = this.#options;
    const { current, links } = seen;
    const name = this.#createVersion(payload); // (5) (6)
    const wayBack = current !== undefined && (durable || linksToMake(links) > 0);
    this.#commit(payload, name, { seen, wayBack });
    try {
      makeLinks(directory, links, fsGroup); // (10)
      if (durable) syncDirectory(directory);
    } catch (err) {
      if (this.#goBack(current, links)) discardVersion(`${directory}/${name}`, payload);
      throw err;
    }
    if (wayBack) unlinkQuietly(`${directory}/${DATA_LINK_PREVIOUS}`);
    const dropped = this.#dropLinks(links.remove); // (11)
    const gone = current === undefined || this.#retired.retire(current); // (12)
    this.#memory = dropped && gone ? this.#remember(payload, name) : undefined;
    return name;
  }

  /** Steps 7 to 9. When it throws, the new version and its links are gone. */
  #commit(
    payload: Payload,
    name: string,
    { seen, wayBack }: { seen: Survey; wayBack: boolean },
  ): void {
    const { directory, fsGroup, durable = false } = this.#options;
    const made: string[] = [];
    const link = (path: string, target: string): void => {
      this.#attempt(path, () => makeLink(`${directory}/${path}`, target, fsGroup));
      made.push(path);
    };
    try {
      if (fsGroup !== undefined) this.#giveRootTo(fsGroup); // (7)
      if (wayBack && seen.current !== undefined) link(DATA_LINK_PREVIOUS, seen.current); // (8)
      link(DATA_LINK_TMP, name);
      if (durable) syncDirectory(directory); // The version's own entry, before anything names it.
      this.#refuseOtherWriter(seen.dataTarget);
      this.#attempt(DATA_LINK, () =>
        renameSync(`${directory}/${DATA_LINK_TMP}`, `${directory}/${DATA_LINK}`),
      ); // (9)
    } catch (err) {
      for (const path of made) unlinkQuietly(`${directory}/${path}`);
      discardVersion(`${directory}/${name}`, payload);
      throw err;
    }
  }

  #createVersion(payload: Payload): string {
    const { directory, fsGroup, durable = false, self, clock, random } = this.#options;
    for (;;) {
      const name = versionDirectoryName(clock.now(), random.uint32());
      try {
        createVersion({ directory, name, payload, fsGroup, durable, writer: self });
        return name;
      } catch (err) {
        // Taken, by the same number in the same second: the next number will be free.
        const taken = err instanceof WriteError && err.path === name && err.code === "EEXIST";
        if (!taken) throw err;
      }
    }
  }

  /**
   * Undoes the commit without needing a new inode, which may be what there was none left of. False
   * when that failed, too: then the new version is the visible one and must stay.
   */
  #goBack(current: string | undefined, links: LinkWork): boolean {
    const { directory, logger } = this.#options;
    try {
      if (current === undefined) unlinkSync(`${directory}/${DATA_LINK}`);
      else renameSync(`${directory}/${DATA_LINK_PREVIOUS}`, `${directory}/${DATA_LINK}`);
    } catch (err) {
      logger.error("volume could not return to its previous version", { directory, err });
      return false;
    }
    undoLinks(directory, links);
    return true;
  }

  #difference(
    payload: Payload,
    current: string | undefined,
    known: { readonly memory: RootMemory | undefined; readonly deep: boolean },
  ): Difference | undefined {
    if (current === undefined) return undefined;
    if (known.memory !== undefined) {
      const reason = known.memory.version === payload.version ? "metadata" : "content";
      return { reason, path: undefined };
    }
    const { directory, fsGroup, self } = this.#options;
    if (fsGroup !== undefined && !this.#rootBelongsTo(fsGroup))
      return { reason: "metadata", path: "" };
    return compareVersion(`${directory}/${current}`, {
      payload,
      fsGroup,
      bootId: self.bootId,
      deep: known.deep,
    });
  }
  /** Leftovers without the versions that are in their grace time. */
  #leftovers(seen: Survey): string[] {
    const { directory, keepPreviousMs = 0 } = this.#options;
    return seen.leftovers.filter((name) => {
      if (this.#retired.has(name)) return false;
      // A whole version that an earlier process replaced has readers as well.
      const whole = keepPreviousMs > 0 && existsSync(`${directory}/${name}/${VERSION_FILE}`);
      return !(whole && this.#retired.retire(name));
    });
  }

  #sweepLeftovers(names: readonly string[]): boolean {
    return names.map((name) => removeTree(name, this.#options)).every(Boolean);
  }

  #dropLinks(names: readonly string[]): boolean {
    const failed = removeLinks(this.#options.directory, names);
    for (const err of failed)
      this.#options.logger.warn("volume keeps the link of a removed key", { err });
    return failed.length === 0;
  }

  /** The other writer's commit would be lost, and its version removed as our old one. */
  #refuseOtherWriter(expected: string | undefined): void {
    const { directory } = this.#options;
    if (dataTarget(directory) === expected) return;
    throw new WriteError(
      { directory, path: DATA_LINK },
      "another process replaced the version during this write; a volume has one writer",
    );
  }

  #giveRootTo(fsGroup: number): void {
    const { directory } = this.#options;
    if (this.#rootBelongsTo(fsGroup)) return;
    this.#attempt("", () => {
      lchownSync(directory, UNCHANGED, fsGroup);
      chmodSync(directory, rootModeForGroup(statSync(directory).mode & 0o7777));
    });
  }

  #rootBelongsTo(fsGroup: number): boolean {
    const { gid, mode } = statSync(this.#options.directory);
    return gid === fsGroup && rootModeForGroup(mode) === mode;
  }

  #attempt(path: string, act: () => void): void {
    try {
      act();
    } catch (cause) {
      throw WriteError.from({ directory: this.#options.directory, path }, cause);
    }
  }

  #recall(): RootMemory | undefined {
    const { directory } = this.#options;
    const memory = this.#memory;
    return memory !== undefined && stillHolds(memory, directory) ? memory : undefined;
  }

  /** Undefined when it cannot be looked at: the write is done, and the next one looks anew. */
  #remember(payload: Payload, current: string): RootMemory | undefined {
    const { directory, clock } = this.#options;
    const { identity, version, names } = payload;
    try {
      return remember(directory, { identity, version, names, current }, clock.now());
    } catch {
      return undefined;
    }
  }
}

function unchanged(payload: Payload, current: string): WriteResult {
  return {
    outcome: "unchanged",
    version: payload.version,
    versionDirectory: current,
    difference: undefined,
  };
}

/** What a survey would find, without looking: the links are as we left them. */
function fromMemory(memory: RootMemory, payload: Payload): Survey {
  const links = {
    create: [...payload.names].filter((name) => !memory.names.has(name)),
    replace: [],
    remove: [...memory.names].filter((name) => !payload.names.has(name)),
  };
  const { current } = memory;
  return { dataTarget: current, current, leftovers: [], obstacles: [], links };
}

function linksToMake(links: LinkWork): number {
  return links.create.length + links.replace.length;
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // A temporary link: the next write sweeps it.
  }
}
