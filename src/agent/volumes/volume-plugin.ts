// What every kind of volume can do, on one screen. A plugin holds no state about volumes: what is on disk is the state, so that it
// works the same after a restart.

import type { Pod, Volume } from "../../api/types.ts";
import type { VolumePlace } from "../agent-paths.ts";
import { allContainers } from "../all-containers.ts";
import type { ObjectReference, ObjectVersion } from "../objects/config-object.ts";

export interface VolumePlugin {
  /** "kubernetes.io/configmap" */
  readonly name: string;
  /** Its content can change while it is mounted: `setUp` is called again whenever it may have. */
  readonly requiresRemount: boolean;

  supports(volume: Volume): boolean;
  /** The objects that the content is made of. */
  references(volume: Volume, pod: Pod): readonly ObjectReference[];
  /**
   * Makes the volume, or makes it show what it should show now. Calling it again changes nothing unless something changed.
   * Throws with the original's text, and then what was visible before is visible still; only of a volume that was never
   * whole nothing is left.
   */
  setUp(volume: VolumeToMount, signal: AbortSignal): Promise<VolumeContent>;
  /** Removes the volume, by its place alone: the pod may be long forgotten. Does nothing if it is not there. */
  tearDown(place: VolumePlace): Promise<void>;
}

export interface VolumeToMount extends VolumePlace {
  readonly pod: Pod;
  readonly spec: Volume;
}

export interface VolumeContent {
  /** What containers mount. */
  readonly path: string;
  /** Containers cannot write to it, whatever they ask for. */
  readonly isReadOnly: boolean;
  /** `setUp` changed what is visible. */
  readonly hasChanged: boolean;
  /** What it is made of now; of an optional object that is not there, nothing. */
  readonly versions: readonly ObjectVersion[];
  /** Content hash of what is visible; undefined for volumes that the agent does not write. */
  readonly version: string | undefined;
  /** `setUp` should be called again after so long, whatever else happens: a token runs out, an old version can go. */
  readonly refreshAfterMs: number | undefined;
}

/** Volumes that at least one container mounts: the others are never made, as in Kubernetes. */
export function usedVolumes(pod: Pod): readonly Volume[] {
  const used = new Set(
    allContainers(pod).flatMap(({ volumeMounts }) => (volumeMounts ?? []).map(({ name }) => name)),
  );
  return (pod.spec?.volumes ?? []).filter(({ name }) => used.has(name));
}
