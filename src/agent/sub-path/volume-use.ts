// Where a container sees a volume, written down in its annotations for whoever has to tell or to renew it later.

/** On a pod: "false" keeps sub paths as they were when their container started, as in Kubernetes. */
export const LIVE_SUB_PATH_ANNOTATION = "driftless.dev/live-subpath";

/** In the annotations of a container. */
export const MOUNTS_NOTE = "driftless.dev/mounts";

export interface VolumeUse {
  readonly volume: string;
  /** "kubernetes.io/configmap" */
  readonly plugin: string;
  readonly container: string;
  /** Of the container, as events have it; missing if an older agent has started it. */
  readonly fieldPath?: string;
  readonly mountPath: string;
  /** Of the mount among the container's. */
  readonly index: number;
  /** Expanded; undefined for all of the volume. */
  readonly subPath: string | undefined;
  /** A part of a volume that the agent writes, which is replaced whenever the volume changes. */
  readonly isLive: boolean;
  /** Such a part that is not: the container sees what was there when it started, whatever becomes of the volume. */
  readonly isFrozen: boolean;
  readonly whyFrozen: FreezeReason | undefined;
  /** The volume had nothing by this sub path: the container sees an empty directory. */
  readonly isAbsent: boolean;
  /** Of the volume, when the container started; undefined if the agent does not write it. */
  readonly version: string | undefined;
}

/** The pod says so, or the machine cannot. */
export type FreezeReason = "annotation" | "kernel";

/** Empty if it is a container that an older agent has started. */
export function usesOf(annotations: Readonly<Record<string, string>>): readonly VolumeUse[] {
  try {
    const uses: unknown = JSON.parse(annotations[MOUNTS_NOTE] ?? "[]");
    return Array.isArray(uses) ? (uses as readonly VolumeUse[]) : [];
  } catch {
    return [];
  }
}
