// The volumes of all pods of this node, as the pods' workers see them. Behind it are five roles: what should be there
// (desired-state.ts), what is (actual-state.ts), what to do about it (reconciler.ts), doing it (operations.ts), and what a former
// life left behind (reconstruction.ts).

import type { Pod } from "../../api/types.ts";
import type { VolumeContent } from "./volume-plugin.ts";

export interface Volumes {
  /** Finds what a former life left behind, then keeps all volumes as they should be. */
  run(signal: AbortSignal): Promise<void>;

  /** These are the pod's volumes from now on, made of what the pod says now. Begins at once. */
  want(pod: Pod): void;
  /**
   * Settles when every volume that the pod uses is there and shows nothing older than what its objects were at the time of the
   * call. Throws MountError after two minutes, or as soon as a volume cannot be: what is wrong stays wrong without a change.
   * A volume that was there before and cannot be refreshed now counts as there.
   */
  mounted(podUid: string, signal: AbortSignal): Promise<MountedVolumes>;
  /** What is there now, by the pod's names; for whoever watches it. */
  current(podUid: string): MountedVolumes;

  /** The pod needs them no more: its containers have ended. */
  unwant(podUid: string): void;
  /** Settles when no volume of the pod is left, nor its directory below `pods`. Throws MountError after two minutes. */
  unmounted(podUid: string, signal: AbortSignal): Promise<void>;
  /** The pods whose volumes must stay are all known from now on: what belongs to none of them is removed. */
  allWanted(): void;

  /** The server answers again: what failed because of it is tried again at once. */
  serverIsBack(): void;

  /** Called each time that what a pod sees has changed, or could not be changed. */
  onChange(handler: VolumeChangeHandler): Disposable;
}

export type MountedVolumes = ReadonlyMap<string, MountedVolume>;

export interface MountedVolume extends VolumeContent {
  readonly plugin: string;
  /** Why the last refresh did not work; what is visible is older than it should be. */
  readonly failure: unknown;
}

export interface VolumeChange {
  readonly pod: Pod;
  readonly volume: string;
  readonly content: VolumeContent | undefined;
  readonly failure: unknown;
}

export type VolumeChangeHandler = (change: VolumeChange) => void;

/** A pod's volumes are not there, in the original's words. */
export class MountError extends Error {
  override readonly name = "MountError";
}
