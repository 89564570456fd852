// What a container was started with of ConfigMaps and Secrets, written down in its annotations so that it is known for as long as the
// container lives, whatever becomes of the agent. Versions only, never a value.

import { type ConfigHow, podUses } from "../../api/config/pod-uses.ts";
import type { Pod } from "../../api/types.ts";
import type { AnyContainer } from "../all-containers.ts";
import {
  type ConfigObject,
  type ObjectReference,
  type ObjectVersion,
  referenceKey,
} from "../objects/config-object.ts";
import type { VolumeUse } from "../sub-path/volume-use.ts";
import type { MountedVolumes } from "../volumes/volumes.ts";
import { withSubPaths } from "./with-sub-paths.ts";

/** In the annotations of a container. */
export const START_NOTE = "driftless.dev/environment";

/** One use of an object by the container, as it was when it started. */
export interface StartedWith {
  readonly kind: ObjectReference["kind"];
  readonly name: string;
  readonly how: Exclude<ConfigHow, "volume">;
  /** "" but for subPath. */
  readonly mountPath: string;
  /** Undefined: there was no such object. */
  readonly object:
    | (Pick<ObjectVersion, "uid" | "resourceVersion" | "version"> & {
        readonly isImmutable: boolean;
        /** Of the keys that are used; undefined if that is not known. */
        readonly used: string | undefined;
      })
    | undefined;
}

export interface StartSources {
  readonly pod: Pod;
  readonly container: AnyContainer;
  /** What the environment was made of. */
  readonly objects: readonly ConfigObject[];
  readonly volumes: MountedVolumes;
  readonly uses: readonly VolumeUse[];
  /** For what volumes are made of: they keep no objects. */
  readonly peek: (of: ObjectReference) => ConfigObject | "unknown" | undefined;
}

/** What live volumes show is asked of them, and not noted. */
export function startNote(sources: StartSources): readonly StartedWith[] {
  const { pod, container, uses } = sources;
  const spec = { ...pod.spec, containers: [withSubPaths(container, uses)] };
  return podUses({ ...spec, initContainers: [], ephemeralContainers: [] }).flatMap((use) => {
    const { kind, name, how, mountPath, keys, volume } = use;
    if (how === "volume") return [];
    const of = { kind, name, namespace: pod.metadata.namespace ?? "" };
    const object = how === "subPath" ? inVolume(of, volume, sources) : inEnvironment(of, sources);
    return { kind, name, how, mountPath, object: object && started(object, keys) };
  });
}

/** Undefined if it is a container that an older agent has started: nobody knows what it has. */
export function startedWith(
  annotations: Readonly<Record<string, string>>,
): readonly StartedWith[] | undefined {
  try {
    const note: unknown = JSON.parse(annotations[START_NOTE] ?? "");
    return Array.isArray(note) && note.every(isStartedWith) ? note : undefined;
  } catch {
    return undefined;
  }
}

function isStartedWith(one: unknown): one is StartedWith {
  return typeof one === "object" && one !== null && "how" in one;
}

type Found = ConfigObject | ObjectVersion;

function inEnvironment(of: ObjectReference, { objects }: StartSources): Found | undefined {
  return objects.find((object) => referenceKey(object) === referenceKey(of));
}

function inVolume(
  of: ObjectReference,
  volume: string,
  { volumes, peek }: StartSources,
): Found | undefined {
  const shown = volumes.get(volume)?.versions.find((one) => referenceKey(one) === referenceKey(of));
  if (shown === undefined) return undefined;
  const object = peek(of);
  const isShown = object !== "unknown" && object?.version === shown.version;
  return isShown ? object : shown;
}

function started(object: Found, keys: readonly string[] | undefined): StartedWith["object"] {
  const { uid, resourceVersion, version } = object;
  const hasContent = "versionOf" in object;
  return {
    ...{ uid, resourceVersion, version },
    isImmutable: hasContent && object.isImmutable,
    used: usedVersion(object, keys),
  };
}

function usedVersion(object: Found, keys: readonly string[] | undefined): string | undefined {
  if (keys === undefined) return object.version;
  return "versionOf" in object ? object.versionOf(keys) : undefined;
}
