// Writes a volume so that readers see one whole version or the next, and nothing between.
//
// The algorithm is Kubernetes' AtomicWriter (same names, same order, same commit point) with its
// known faults mended; docs/adr/0003-atomic-writer.md lists them. The steps of a write:
//
//    (1) ask the memory: if nothing moved and nothing else is wanted, that is all
//    (2) look: where `..data` leads, what a crash left behind; refuse what stands in the way
//    (3) if nothing differs, sweep, mend the links and stop here
//    (4) sweep the leftovers, so that their space is free for what comes
//    (5) make the version's directory
//    (6) write every file with its owner and mode, then the version record
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

import { chmodSync, chownSync, existsSync, renameSync, statSync, unlinkSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { compareVersion, type Difference } from "./compare-version.ts";
import {
  DATA_LINK,
  DATA_LINK_PREVIOUS,
  DATA_LINK_TMP,
  isVersionDirectoryName,
  VERSION_FILE,
  VersionNames,
} from "./layout.ts";
import { makeLink, makeLinks, removeLinks, undoLinks, unlinkQuietly } from "./links.ts";
import { rootModeForGroup, UNCHANGED } from "./ownership.ts";
import type { Payload } from "./payload.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { refuseLivingWriter, refuseLongPaths, refuseObstacles } from "./refusals.ts";
import { RetiredVersions, removeTree } from "./retired-versions.ts";
import { type RootMemory, remember, stillHolds } from "./root-memory.ts";
import { dataTarget, type LinkWork, linkTarget, type Survey, survey } from "./survey.ts";
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

/** 2^32 - 1 means "leave unchanged" to chown(2). */
const MAX_ID = 2 ** 32 - 1;

/**
 * Keeps one directory equal to the payload it was last given. Whatever fails, what was visible
 * before stays visible and whole, and write throws a WriteError that names the file.
 *
 * One writer per directory. A second one, in another process of this PID namespace, is noticed and refused.
 */
export class AtomicWriter {
  readonly #options: AtomicWriterOptions;
  readonly #retired: RetiredVersions;
  readonly #names: VersionNames;
  /** What the last look found, when nothing had to be done then. */
  #memory: RootMemory | undefined;

  constructor(options: AtomicWriterOptions) {
    const { fsGroup } = options;
    if (fsGroup !== undefined && !(Number.isInteger(fsGroup) && fsGroup >= 0 && fsGroup < MAX_ID)) {
      throw new RangeError(`Cannot give a volume to group ${fsGroup}: that is not a group id`);
    }
    this.#options = options;
    this.#retired = new RetiredVersions(options);
    this.#names = new VersionNames(options.self.pid, options.random);
  }

  /**
   * Makes the directory show `payload`. With `verify: "deep"` file contents are read and compared,
   * and whatever was tampered with is written anew; without, names, links and (unless nothing moved
   * since the last look) sizes, modes and owners are. Then it sweeps, unless the caller does that
   * at a calmer time.
   */
  write(
    payload: Payload,
    options: { readonly verify?: "deep"; readonly sweep?: "later" } = {},
  ): WriteResult {
    const deep = options.verify === "deep";
    try {
      return this.#writeWithRoom(payload, deep);
    } finally {
      // After it: the readers of the new version wait for nothing.
      if (options.sweep !== "later") this.sweep();
    }
  }

  /** A full disk gives up the versions in their grace time before it gives up the new one. */
  #writeWithRoom(payload: Payload, deep: boolean): WriteResult {
    try {
      return this.#write(payload, deep);
    } catch (err) {
      this.#memory = undefined;
      const error = this.#failed(err);
      const full = error.code === "ENOSPC" || error.code === "EDQUOT";
      if (!full || !this.#retired.removeAll()) throw error;
    }
    try {
      return this.#write(payload, deep);
    } catch (err) {
      throw this.#failed(err);
    }
  }

  /**
   * Removes replaced versions whose grace time is over. Every write does; call it when no write is
   * due. Returns the same as `sweepDueMs`.
   */
  sweep(): number | undefined {
    if (this.#retired.removeExpired()) this.#memory = undefined;
    return this.sweepDueMs();
  }

  /** Milliseconds until there is something to sweep, or undefined when no old version is kept. */
  sweepDueMs(): number | undefined {
    return this.#retired.nextExpiryMs();
  }

  #failed(err: unknown): WriteError {
    return WriteError.from({ directory: this.#options.directory, path: "" }, err);
  }

  #write(payload: Payload, deep: boolean): WriteResult {
    const { directory, fsGroup, self, clock } = this.#options;
    const memory = deep ? undefined : this.#recall(); // (1)
    if (memory?.identity === payload.identity) return unchanged(payload, memory.current);
    refuseLongPaths(directory, payload); // (2)
    const seen =
      memory === undefined
        ? survey(directory, payload.names, fsGroup)
        : fromMemory(memory, payload);
    refuseObstacles(directory, seen);
    const strange = seen.leftovers.filter((name) => !this.#retired.has(name));
    const { current } = seen;
    refuseLivingWriter(directory, { leftovers: strange, current }, { self, nowMs: clock.now() });
    const leftovers = strange.filter((name) => !this.#adopt(name));
    const difference = this.#difference(payload, seen, { memory, deep });
    const swept = this.#sweepLeftovers(leftovers); // (4), or a part of (3)
    if (difference === undefined) return this.#mend(payload, seen, swept); // (3)
    return {
      outcome: "written",
      version: payload.version,
      versionDirectory: this.#swap(payload, seen),
      difference,
    };
  }

  /** The right version is visible; its links may not be. */
  #mend(payload: Payload, seen: Survey, swept: "nothing" | "all" | "some"): WriteResult {
    const { directory, fsGroup, durable = false } = this.#options;
    const { current = "", links } = seen;
    makeLinks(links, { directory, fsGroup });
    const dropped = this.#dropLinks(links.remove);
    // A process that was killed between the commit and its sync has left this to us.
    if (durable) syncDirectory(directory, "");
    this.#memory = swept !== "some" && dropped ? this.#remember(payload, current) : undefined;
    const repaired = linksToMake(links) + links.remove.length > 0 || swept === "all";
    const result = unchanged(payload, current);
    return repaired ? { ...result, outcome: "repaired" } : result;
  }

  #swap(payload: Payload, seen: Survey): string {
    const { directory, fsGroup, durable = false } = this.#options;
    const { current, links } = seen;
    const name = this.#createVersion(payload); // (5) (6)
    const wayBack = current !== undefined && (durable || linksToMake(links) > 0);
    this.#commit(payload, name, { seen, wayBack });
    const made: string[] = [];
    try {
      makeLinks(links, { directory, fsGroup }, made); // (10)
      if (durable) syncDirectory(directory, "");
    } catch (err) {
      if (this.#goBack(name, current)) {
        undoLinks(directory, made);
        this.#discard(payload, name);
      }
      throw err;
    }
    if (wayBack) unlinkQuietly(`${directory}/${DATA_LINK_PREVIOUS}`);
    this.#dropLinks(links.remove); // (11)
    // (12) A directory that only happens to be where `..data` led is not ours to remove.
    if (current !== undefined && isVersionDirectoryName(current)) this.#retired.retire(current);
    // What changed a moment ago cannot be remembered: see root-memory.ts.
    this.#memory = undefined;
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
      if (durable) syncDirectory(directory, ""); // The version's own entry, before anything names it.
      this.#refuseOtherWriter(seen.dataTarget);
      this.#attempt(DATA_LINK, () =>
        renameSync(`${directory}/${DATA_LINK_TMP}`, `${directory}/${DATA_LINK}`),
      ); // (9)
    } catch (err) {
      for (const path of made) unlinkQuietly(`${directory}/${path}`);
      this.#discard(payload, name);
      throw err;
    }
  }

  #createVersion(payload: Payload): string {
    const { directory, fsGroup, durable = false, self, clock } = this.#options;
    for (;;) {
      const name = this.#names.next(clock.now());
      try {
        createVersion({ directory, name, payload, fsGroup, durable, writer: self });
        return name;
      } catch (err) {
        // Taken, by something that is not a version: the next number will be free.
        const taken = err instanceof WriteError && err.path === name && err.code === "EEXIST";
        if (!taken) throw err;
      }
    }
  }

  /** Removes a version that is not wanted after all, unless readers see it. Throws nothing. */
  #discard(payload: Payload, name: string): void {
    const { directory } = this.#options;
    try {
      if (dataTarget(directory) === name) return;
    } catch {
      return; // Not known: the next write sweeps it, if it is a leftover.
    }
    discardVersion(`${directory}/${name}`, payload);
  }

  /**
   * Undoes the commit without needing a new inode, which may be what there was none left of. False
   * when there is no way back: then the new version is the visible one and must stay.
   */
  #goBack(name: string, current: string | undefined): boolean {
    const { directory, logger } = this.#options;
    const wayBack = `${directory}/${DATA_LINK_PREVIOUS}`;
    try {
      // Somebody who writes this volume against all rules may have gone on from our commit.
      if (dataTarget(directory) !== name) return false;
      if (current === undefined) {
        unlinkSync(`${directory}/${DATA_LINK}`);
        return true;
      }
      if (linkTarget(wayBack) !== current || !existsSync(`${directory}/${current}`)) return false;
      renameSync(wayBack, `${directory}/${DATA_LINK}`);
      return true;
    } catch (err) {
      logger.error("volume could not return to its previous version", { directory, err });
      return false;
    }
  }

  #difference(
    payload: Payload,
    { current, dataTarget: target }: Survey,
    known: { readonly memory: RootMemory | undefined; readonly deep: boolean },
  ): WriteResult["difference"] {
    if (current === undefined) return { reason: "first", path: undefined };
    if (known.memory !== undefined) {
      const reason = known.memory.version === payload.version ? "metadata" : "content";
      return { reason, path: undefined };
    }
    const { directory, fsGroup, self } = this.#options;
    // Spelled in another way than ours, such as an absolute path that a container cannot follow.
    if (target !== current) return { reason: "damaged", path: DATA_LINK };
    if (fsGroup !== undefined && !this.#rootBelongsTo(fsGroup))
      return { reason: "metadata", path: "" };
    return compareVersion(`${directory}/${current}`, {
      payload,
      fsGroup,
      uid: process.geteuid?.() ?? 0,
      bootId: self.bootId,
      deep: known.deep,
    });
  }

  /** A whole version that an earlier process replaced has readers, too: its grace time starts now. */
  #adopt(name: string): boolean {
    const { directory, keepPreviousMs = 0 } = this.#options;
    if (keepPreviousMs <= 0 || !isVersionDirectoryName(name)) return false;
    return existsSync(`${directory}/${name}/${VERSION_FILE}`) && this.#retired.retire(name);
  }

  #sweepLeftovers(names: readonly string[]): "nothing" | "all" | "some" {
    if (names.length === 0) return "nothing";
    return names.map((name) => removeTree(name, this.#options)).every(Boolean) ? "all" : "some";
  }

  #dropLinks(names: readonly string[]): boolean {
    const failed = removeLinks(this.#options.directory, names);
    for (const err of failed) {
      this.#options.logger.warn("volume keeps the link of a removed key", { err });
    }
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
      chownSync(directory, UNCHANGED, fsGroup);
      chmodSync(directory, rootModeForGroup(statSync(directory).mode & 0o7777));
      if (!this.#rootBelongsTo(fsGroup)) {
        throw new Error("the volume's group or its setgid bit does not stick; run with CAP_FSETID");
      }
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
    const memory = this.#memory;
    return memory !== undefined && stillHolds(memory, this.#options.directory) ? memory : undefined;
  }

  /** Undefined when it cannot be looked at: nothing is wrong, and the next write looks anew. */
  #remember(payload: Payload, current: string): RootMemory | undefined {
    const { directory, clock } = this.#options;
    const { identity, version, names, directories } = payload;
    try {
      return remember(directory, { identity, version, names, directories, current }, clock.now());
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
