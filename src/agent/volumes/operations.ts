// Doing it: the steps on disk, each safe to repeat after a failure or a crash at any point. Nothing is removed below which something
// is mounted: that would remove what is mounted.

import { type Dirent, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import type { Mounts } from "../../mounts/mounts.ts";
import type { AgentPaths, VolumePlace } from "../agent-paths.ts";
import type { SubPaths } from "../sub-path/sub-paths.ts";
import type { ActualVolume } from "./actual-state.ts";
import { isFileName, type WantedVolume } from "./desired-state.ts";
import type { VolumeContent } from "./volume-plugin.ts";

export interface OperationsOptions {
  readonly paths: AgentPaths;
  readonly mounts: Pick<Mounts, "below" | "unmount">;
  readonly subPaths: Pick<SubPaths, "clean">;
}

export class Operations {
  readonly #options: OperationsOptions;

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  setUp(volume: WantedVolume, signal: AbortSignal): Promise<VolumeContent> {
    return volume.maker.setUp(volume, signal);
  }

  /** The subPaths first: they hold the volume. Of a volume that nobody knows, only mounts and empty directories go. */
  async tearDown({ place, maker }: ActualVolume): Promise<void> {
    this.#options.subPaths.clean(place);
    if (maker) await maker.tearDown(place);
    else this.#removeUnknown(place);
  }

  /**
   * Removes the pod's directory, in this order: subPaths, the volumes' empty directories, the plugins' markers, etc-hosts, the rest.
   * Throws if a volume is left, or anything that is mounted.
   */
  removePod(podUid: string): void {
    if (!isFileName(podUid)) throw new Error(`Cannot remove pod ${JSON.stringify(podUid)}`);
    const { paths, mounts, subPaths } = this.#options;
    const directory = paths.pod(podUid);
    if (!statSync(directory, { throwIfNoEntry: false })) return;
    for (const { name } of entriesOf(paths.subPaths(podUid))) {
      subPaths.clean({ podUid, volume: name });
    }
    removeEmpty(paths.volumes(podUid));
    // Of containers that were to start and never did: nobody else knows of them.
    for (const { path } of mounts.below(paths.acks(podUid))) mounts.unmount(path);
    const [mounted] = mounts.below(directory);
    if (mounted)
      throw new Error(`Cannot remove "${directory}": "${mounted.path}" is mounted there`);
    for (const path of [join(directory, "plugins"), paths.etcHosts(podUid), directory]) {
      rmSync(path, { recursive: true, force: true });
    }
  }

  #removeUnknown(place: VolumePlace): void {
    const { paths, mounts } = this.#options;
    const directory = paths.volume(place);
    for (const { path } of mounts.below(directory)) mounts.unmount(path);
    removeEmpty(directory);
  }
}

/** Removes directories that have nothing but such directories in them; throws at the first that has more. */
function removeEmpty(directory: string): void {
  for (const entry of entriesOf(directory)) {
    if (entry.isDirectory()) removeEmpty(join(directory, entry.name));
  }
  ignoreMissing(() => rmdirSync(directory));
}

function entriesOf(directory: string): readonly Dirent[] {
  return ignoreMissing(() => readdirSync(directory, { withFileTypes: true })) ?? [];
}

function ignoreMissing<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (err) {
    // Somebody was quicker: that is as good.
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
}
