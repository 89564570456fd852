// A directory of the pod's own, on disk or in memory, that lives as long as the pod. The agent makes it and never looks into it again,
// except to say how much is in it.

import { chmodSync, chownSync, existsSync, statSync } from "node:fs";
import type { EmptyDirVolumeSource, Volume } from "../../../api/types.ts";
import type { Logger } from "../../../base/logger.ts";
import { rootModeForGroup, UNCHANGED } from "../../../files/ownership.ts";
import type { VolumePlace } from "../../agent-paths.ts";
import type { NodeFacts } from "../../env/environment.ts";
import type { VolumeContent, VolumePlugin, VolumeToMount } from "../volume-plugin.ts";
import { diskUsage } from "./disk-usage.ts";
import { memorySize } from "./memory-size.ts";
import {
  isWhole,
  makeVolumeDirectory,
  markReady,
  removeVolume,
  type VolumeDirectoryParts,
} from "./volume-directory.ts";

export interface EmptyDirParts extends VolumeDirectoryParts {
  readonly node: () => NodeFacts;
  readonly logger: Logger;
}

/** For all users that the containers of a pod may have. In memory also sticky: the kernel's own default, which the original leaves. */
const DISK_MODE = 0o777;
const MEMORY_MODE = 0o1777;
const GROUP_WRITE = 0o020;

export class EmptyDirPlugin implements VolumePlugin {
  readonly name = "kubernetes.io/empty-dir";
  readonly requiresRemount = false;
  readonly #parts: EmptyDirParts;

  constructor(parts: EmptyDirParts) {
    this.#parts = parts;
  }

  supports({ emptyDir }: Volume): boolean {
    return emptyDir !== undefined;
  }

  references(): readonly [] {
    return [];
  }

  async setUp(volume: VolumeToMount): Promise<VolumeContent> {
    const source = volume.spec.emptyDir ?? {};
    const inMemory = isInMemory(source);
    const isThere = isWhole(volume, this.#parts, { inMemory });
    if (!isThere) await this.#make(volume, source, inMemory);
    return {
      path: this.#parts.paths.volume(volume),
      isReadOnly: false,
      hasChanged: !isThere,
      versions: [],
      version: undefined,
      refreshAfterMs: undefined,
    };
  }

  async tearDown(place: VolumePlace): Promise<void> {
    await removeVolume(place, this.#parts);
  }

  /**
   * How many bytes of disk or memory it takes. A sizeLimit of a volume in memory is the size of its tmpfs; on disk nothing stops a
   * container from going beyond: the original measures every 10 s or so and evicts the pod, which is for the caller to do.
   */
  usage(place: VolumePlace): Promise<number> {
    return diskUsage(this.#parts.paths.volume(place));
  }

  /** Of a volume in memory, to what the pod's new limits allow. Throws with the original's text. */
  resize(volume: VolumeToMount, sizeBytes: number | undefined): void {
    const { paths, mounts } = this.#parts;
    if (volume.spec.emptyDir?.medium !== "Memory") {
      throw new Error("only memory-backed emptyDir volumes support direct resize");
    }
    if (sizeBytes === undefined || sizeBytes <= 0) {
      throw new Error("addition or removal of size limit is not supported");
    }
    const path = paths.volume(volume);
    if (mounts.at(path)?.fsType !== "tmpfs") {
      throw new Error(`volume ${volume.volume} is not yet mounted; deferring resize`);
    }
    mounts.resizeTmpfs(path, { sizeBytes, isExecutable: true });
  }

  async #make(
    volume: VolumeToMount,
    source: EmptyDirVolumeSource,
    inMemory: boolean,
  ): Promise<void> {
    const { pod } = volume;
    const { allocatable } = this.#parts.node();
    const sizeBytes = memorySize({ pod, allocatable, sizeLimit: source.sizeLimit });
    const mode = source.mode ?? (inMemory ? MEMORY_MODE : DISK_MODE);
    const tmpfs = inMemory ? { sizeBytes, mode, isExecutable: true } : undefined;
    // Whoever removed the marker, the pod's work may be in there.
    const isNew = !existsSync(this.#parts.paths.volume(volume));
    try {
      makeVolumeDirectory(volume, this.#parts, { mode, tmpfs });
      giveTo(pod.spec.securityContext?.fsGroup, this.#parts.paths.volume(volume));
      markReady(volume, this.#parts);
    } catch (err) {
      if (isNew) await this.#removeHalfMade(volume);
      throw err;
    }
  }

  /** The error that brought us here is the one to report. */
  async #removeHalfMade(place: VolumePlace): Promise<void> {
    try {
      await removeVolume(place, this.#parts);
    } catch (err) {
      const path = this.#parts.paths.volume(place);
      this.#parts.logger.warn("volume that was never whole stays behind", { path, err });
    }
  }
}

function isInMemory({ medium = "" }: EmptyDirVolumeSource): boolean {
  if (medium === "" || medium === "Memory") return medium === "Memory";
  if (medium === "HugePages" || medium.startsWith("HugePages-")) {
    throw new Error(`storage medium "${medium}" is not supported by Driftless`);
  }
  throw new Error(`unknown storage medium "${medium}"`);
}

/** What is made in it belongs to the group, too. It is empty yet: there is nothing below to give away. */
function giveTo(fsGroup: number | undefined, path: string): void {
  if (fsGroup === undefined) return;
  chownSync(path, UNCHANGED, fsGroup);
  chmodSync(path, rootModeForGroup(statSync(path).mode & 0o7777) | GROUP_WRITE);
}
