// What a view of a pod is made of: what each part of the agent knows, asked at the moment of the answer. Every source calls `onChange` with the
// pods that its news concern; nothing here polls. Views are made from these alone (pod-view.ts), so that they are tested without a node.

import type { ObjectReference, ObjectVersion } from "../objects/config-object.ts";

/** How far the newest content of an object got that the server is known to have (gate/gated-objects.ts). */
export interface ObjectStage {
  /** What the server has; undefined: no such object. */
  readonly wanted: ObjectVersion | undefined;
  /** When this agent heard of it. Wall-clock times, in ms. */
  readonly seenAtMs: number;
  /** What this node's pods get: `wanted`, or an older one while that is not let through. Undefined: nothing yet. */
  readonly admitted: ObjectVersion | undefined;
  /** When `admitted` was let through. */
  readonly admittedAtMs: number | undefined;
  /** Why `wanted` is not let through. */
  readonly held:
    | {
        readonly reason: "GateRejected" | "RolloutHeld";
        readonly message: string;
        readonly sinceMs: number;
      }
    | undefined;
}

export interface ObjectStages {
  /** Undefined: nothing is known of it. */
  stage(of: ObjectReference): ObjectStage | undefined;
  /**
   * The version of `keys` alone, or of all, of what the server has, and of what is let through; undefined if that is not known. With a uid: as
   * it would be if the object had that one, so that a Secret that was made anew can be compared with the one before.
   */
  usedVersions(
    of: ObjectReference,
    keys: readonly string[] | undefined,
    uid?: string,
  ): { readonly wanted: string | undefined; readonly admitted: string | undefined };
  onStage(handler: (of: ObjectReference, podUids: readonly string[]) => void): Disposable;
}

/** What a process has said of a directory that it watches, through the library's file (packages/config). */
export interface Acknowledgement {
  /** The container that the process runs in; its pid as the container numbers it. */
  readonly container: string;
  readonly pid: number;
  /** As the process sees it. */
  readonly path: string;
  /** Versions are those of the whole volume's files (VolumeContent.version), times wall-clock ms. */
  readonly noticed: { readonly version: string; readonly atMs: number } | undefined;
  readonly applied: { readonly version: string; readonly atMs: number } | undefined;
  readonly rejected:
    | { readonly version: string | undefined; readonly reason: string; readonly atMs: number }
    | undefined;
}

export interface Acknowledgements {
  /** Of processes that are alive. */
  of(podUid: string): readonly Acknowledgement[];
  onChange(handler: (podUid: string) => void): Disposable;
}

/** Files of a volume that somebody else than the agent changed. */
export interface Tampering {
  readonly volume: string;
  /** Content hash of what the agent had written. */
  readonly version: string;
  /** The volume shows another one now: only who does not follow it can still see this one. */
  readonly isPast: boolean;
  /** Names only, never contents. */
  readonly files: readonly string[];
  readonly sinceMs: number;
}

export interface TamperingWatch {
  of(podUid: string): readonly Tampering[];
  onChange(handler: (podUid: string) => void): Disposable;
}

/** How a container was told of new content by an action of its annotations (driftless.dev/reload). */
export interface NodeReload {
  readonly container: string;
  /** The volume whose new content it was told of, and that content's version (VolumeContent.version). */
  readonly volume: string;
  readonly version: string;
  readonly action: string;
  readonly result: "Pending" | "Succeeded" | "Failing";
  readonly attempts: number;
  readonly atMs: number;
  readonly message: string;
}

export interface NodeReloads {
  /** The last one of each container and volume. */
  of(podUid: string): readonly NodeReload[];
  onChange(handler: (podUid: string) => void): Disposable;
}
