// Which volumes should be there, and which objects each of them is made of. The second is what makes a change cheap: an object leads
// to exactly the volumes that show it, however many others there are.

import { isDeepStrictEqual } from "node:util";
import type { Pod, Volume } from "../../api/types.ts";
import type { VolumePlace } from "../agent-paths.ts";
import { type ObjectReference, referenceKey } from "../objects/config-object.ts";
import { usedVolumes, type VolumePlugin, type VolumeToMount } from "./volume-plugin.ts";

export interface WantedVolume extends VolumeToMount {
  readonly key: string;
  /** Who makes it: the one whose name is `plugin`. */
  readonly maker: VolumePlugin;
}

export interface WantedPod {
  readonly pod: Pod;
  /** By the pod's names. */
  readonly volumes: ReadonlyMap<string, WantedVolume>;
  /** Volumes that nobody can make, with the reason in the original's words. */
  readonly refused: ReadonlyMap<string, string>;
}

export interface WantedChange {
  /** New, or made of something that the pod says otherwise now. */
  readonly changed: readonly WantedVolume[];
  /** Wanted before and not any more. */
  readonly dropped: readonly WantedVolume[];
}

/** The same volume has the same key in every life of the agent. */
export function volumeKey({ podUid, plugin, volume }: VolumePlace): string {
  return `${podUid}/${plugin}/${volume}`;
}

export class DesiredState {
  readonly #plugins: readonly VolumePlugin[];
  readonly #pods = new Map<string, WantedPod>();
  /** Exactly the volumes of #pods. */
  readonly #volumes = new Map<string, WantedVolume>();
  /** Every volume of #volumes under each object that it is made of now, and nothing else: no set is empty. */
  readonly #byReference = new Map<string, Set<WantedVolume>>();

  constructor(plugins: readonly VolumePlugin[]) {
    this.#plugins = plugins;
  }

  /** A pod that was wanted before is taken as it is now; what has not changed for its volumes is not in the answer. */
  want(pod: Pod): WantedChange {
    const podUid = uidOf(pod);
    const before = this.#pods.get(podUid);
    const volumes = new Map<string, WantedVolume>();
    const refused = new Map<string, string>();
    for (const spec of usedVolumes(pod)) {
      const wanted = this.#wanted(pod, spec);
      if (typeof wanted === "string") refused.set(spec.name, wanted);
      else volumes.set(spec.name, wanted);
    }
    for (const old of before?.volumes.values() ?? []) this.#remove(old);
    for (const wanted of volumes.values()) this.#add(wanted);
    this.#pods.set(podUid, { pod, volumes, refused });
    const isSame = before !== undefined && looksTheSame(before.pod, pod);
    return {
      changed: [...volumes.values()].filter(
        ({ volume, key }) => !isSame || before.volumes.get(volume)?.key !== key,
      ),
      dropped: [...(before?.volumes.values() ?? [])].filter(({ key }) => !this.#volumes.has(key)),
    };
  }

  unwant(podUid: string): void {
    for (const old of this.#pods.get(podUid)?.volumes.values() ?? []) this.#remove(old);
    this.#pods.delete(podUid);
  }

  pod(podUid: string): WantedPod | undefined {
    return this.#pods.get(podUid);
  }

  volume(key: string): WantedVolume | undefined {
    return this.#volumes.get(key);
  }

  /** The volumes that show this object. */
  usersOf(object: ObjectReference): Iterable<WantedVolume> {
    return this.#byReference.get(referenceKey(object)) ?? [];
  }

  #wanted(pod: Pod, spec: Volume): WantedVolume | string {
    const maker = isFileName(spec.name) && this.#plugins.find((plugin) => plugin.supports(spec));
    if (!maker) {
      const volume = JSON.stringify(spec.name);
      return `failed to get Plugin from volumeSpec for volume ${volume} err=no volume plugin matched`;
    }
    const place = { podUid: uidOf(pod), plugin: maker.name, volume: spec.name };
    return { ...place, key: volumeKey(place), pod, spec, maker };
  }

  #add(wanted: WantedVolume): void {
    this.#volumes.set(wanted.key, wanted);
    for (const key of referenceKeys(wanted)) {
      const users = this.#byReference.get(key) ?? new Set();
      this.#byReference.set(key, users.add(wanted));
    }
  }

  #remove(wanted: WantedVolume): void {
    this.#volumes.delete(wanted.key);
    for (const key of referenceKeys(wanted)) {
      const users = this.#byReference.get(key);
      users?.delete(wanted);
      if (users?.size === 0) this.#byReference.delete(key);
    }
  }
}

function referenceKeys({ maker, spec, pod }: WantedVolume): string[] {
  return maker.references(spec, pod).map(referenceKey);
}

/** A pod's status changes often and is in no volume. */
function looksTheSame(a: Pod, b: Pod): boolean {
  return isDeepStrictEqual(visibleParts(a), visibleParts(b));
}

function visibleParts({ metadata, spec }: Pod): unknown {
  return [metadata.name, metadata.namespace, metadata.labels, metadata.annotations, spec];
}

/** Directories are named after it, and removed: it must not lead anywhere else. */
export function uidOf({ metadata: { uid = "", name } }: Pod): string {
  if (!isFileName(uid)) {
    throw new Error(`Cannot make volumes for pod ${JSON.stringify(name)}: it has no usable uid`);
  }
  return uid;
}

export function isFileName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name);
}
