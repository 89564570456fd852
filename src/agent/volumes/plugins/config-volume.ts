// One volume that the agent writes: a directory on disk or in memory that shows a payload. What it remembers is a cache: everything is
// found again on disk. The steps of `show`, of which an unchanged volume needs only a look (1) and another in (3):
//
//   (1) is the directory still the one that we know? Else find out whether a former life left it whole
//   (2) make the directory and, for what must not reach a disk, a tmpfs over it
//   (3) write, atomically; what was visible stays visible if that fails
//   (4) make the directories that other volumes are mounted on. After (3): a mount point in the way of a key must not hold up updates
//   (5) mark it as whole
//   (6) let those follow who have a part of it mounted. Before the version that they see can go: it goes after its grace time
//
// If (2) to (5) fail for a volume that was never whole, nothing is left of it. A volume that was whole is never taken away: containers
// would lose it for good, since they hold on to this directory and not to its name.

import { existsSync, lstatSync } from "node:fs";
import type { Pod } from "../../../api/types.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/logger.ts";
import type { Random } from "../../../base/random.ts";
import { AtomicWriter, type WriteResult } from "../../../files/atomic-writer.ts";
import { DATA_LINK, VERSION_FILE } from "../../../files/layout.ts";
import type { Payload } from "../../../files/payload.ts";
import type { ProcessIdentity } from "../../../files/process-identity.ts";
import type { VolumePlace } from "../../agent-paths.ts";
import type { NodeFacts } from "../../env/environment.ts";
import { memorySize } from "./memory-size.ts";
import { makeMountPoints, nestedMountPoints } from "./nested-mount-points.ts";
import {
  isWhole,
  makeVolumeDirectory,
  markReady,
  removeVolume,
  type VolumeDirectoryParts,
} from "./volume-directory.ts";

export interface ConfigVolumeParts extends VolumeDirectoryParts {
  readonly node: () => NodeFacts;
  readonly self: ProcessIdentity;
  /** Who follows the volume where it is mounted in parts; nobody if it is missing. */
  readonly followers?: VolumeFollowers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface VolumeFollowers {
  /** The volume shows what it should. What it showed before is there until this settles; undefined if nobody cares. */
  shown(place: VolumePlace, hasChanged: boolean, pod: Pod): Promise<void> | undefined;
  /** Somebody else may have changed what it shows: contents are to be compared, too. */
  isSuspect?(place: VolumePlace): boolean;
  /** The volume is about to be taken away. */
  removed?(place: VolumePlace): void;
}

/** Disk survives a restart of the machine; memory is for what must not. */
export type Medium = "disk" | "memory";

/**
 * The original's: they are what `ls -la` shows. Containers have it mounted read-only, whatever these say. In a sticky directory the
 * kernel follows links only for their owner or if the directory has the same owner: no link is ever given to somebody else.
 */
const DISK_MODE = 0o777;
const MEMORY_MODE = 0o1777;

/** An open(2) through a plain path that meets a swap half way must find the version that it is on its way into. */
const KEEP_PREVIOUS_MS = 1_000;

export class ConfigVolume {
  readonly path: string;
  readonly #place: VolumePlace;
  readonly #inMemory: boolean;
  readonly #parts: ConfigVolumeParts;
  #writer: AtomicWriter | undefined;
  /** Of the directory that `#writer` writes. Another one, or another file system, is another volume. */
  #known: { readonly dev: number; readonly ino: number } | undefined;
  /** For which pod, as it was then, the mount points in this volume were made. */
  #pod: Pod | undefined;

  constructor(place: VolumePlace, medium: Medium, parts: ConfigVolumeParts) {
    this.path = parts.paths.volume(place);
    this.#place = place;
    this.#inMemory = medium === "memory";
    this.#parts = parts;
  }

  /** Settles without waiting for anything, unless it fails for the first time, or containers have parts of it mounted. */
  async show(payload: Payload, pod: Pod): Promise<WriteResult> {
    const result = this.#isKnown()
      ? this.#write(payload, pod) // (1)
      : await this.#showFirst(payload, pod);
    const hasChanged = result.outcome === "written";
    // After a change others wait to be changed too: what can go goes when they are done. What somebody mounted on a file goes with
    // the file: parts that were covered so can follow again.
    if (!hasChanged) this.#writer?.sweep();
    const following = this.#parts.followers?.shown(this.#place, hasChanged, pod); // (6)
    if (following) await following;
    return result;
  }

  async #showFirst(payload: Payload, pod: Pod): Promise<WriteResult> {
    const inMemory = this.#inMemory;
    const wasWhole = isWhole(this.#place, this.#parts, { inMemory });
    // Whoever removed the marker, a whole version may have readers.
    const hasReaders = wasWhole || existsSync(`${this.path}/${DATA_LINK}/${VERSION_FILE}`);
    try {
      this.#make(pod, wasWhole); // (2)
      const result = this.#write(payload, pod); // (3) (4)
      if (!wasWhole) markReady(this.#place, this.#parts); // (5)
      this.#know();
      return result;
    } catch (err) {
      this.forget();
      if (!hasReaders) await this.#removeHalfMade();
      throw err;
    }
  }

  /** Milliseconds until there is a version that nobody can be on the way into any more. */
  sweepDueMs(): number | undefined {
    return this.#writer?.sweepDueMs();
  }

  /** The directory may be another one from now on. */
  forget(): void {
    this.#writer = undefined;
    this.#known = undefined;
    this.#pod = undefined;
  }

  #make(pod: Pod, wasWhole: boolean): void {
    const { node, self, clock, random, logger } = this.#parts;
    if (!wasWhole) {
      const sizeBytes = this.#inMemory
        ? memorySize({ pod, allocatable: node().allocatable })
        : undefined;
      const tmpfs = this.#inMemory ? { sizeBytes, mode: MEMORY_MODE } : undefined;
      makeVolumeDirectory(this.#place, this.#parts, { mode: DISK_MODE, tmpfs });
    }
    this.#pod = undefined;
    this.#writer = new AtomicWriter({
      directory: this.path,
      fsGroup: pod.spec.securityContext?.fsGroup,
      keepPreviousMs: KEEP_PREVIOUS_MS,
      ...{ self, clock, random, logger },
    });
  }

  #write(payload: Payload, pod: Pod): WriteResult {
    if (this.#writer === undefined) throw new Error(`Volume "${this.path}" has no writer`);
    const isSuspect = this.#parts.followers?.isSuspect?.(this.#place) === true;
    const result = this.#writer.write(payload, {
      ...(isSuspect && { verify: "deep" }),
      sweep: "later",
    });
    if (this.#pod !== pod) {
      makeMountPoints(this.path, nestedMountPoints(this.#place.volume, pod));
      this.#pod = pod;
    }
    return result;
  }

  #isKnown(): boolean {
    if (this.#known === undefined) return false;
    const found = lstatSync(this.path, { throwIfNoEntry: false });
    return found?.ino === this.#known.ino && found.dev === this.#known.dev;
  }

  #know(): void {
    const { dev, ino } = lstatSync(this.path);
    this.#known = { dev, ino };
  }

  /** The error that brought us here is the one to report. */
  async #removeHalfMade(): Promise<void> {
    try {
      await removeVolume(this.#place, this.#parts);
    } catch (err) {
      this.#parts.logger.warn("volume that was never whole stays behind", { path: this.path, err });
    }
  }
}
