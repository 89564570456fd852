// Since when each volume shows what it shows, and what it showed before that: a process or a mount may still be there, and is then told apart by
// the version of the files. Only versions are kept, and few of them.

import type { ObjectVersion } from "../objects/config-object.ts";
import type { MountedVolume } from "../volumes/volumes.ts";
import type { ShownVolume } from "./pod-facts.ts";

interface Shown {
  versions: readonly ObjectVersion[];
  readonly atMs: number | undefined;
}

/** Older ones are of those who do not follow for long: they are told that they are behind without a name for what they have. */
const MAX_PAST = 8;

export class VolumeHistory {
  /** By pod and volume; what is shown now is the last. */
  readonly #pods = new Map<string, Map<string, Map<string, Shown>>>();

  /** It shows this since now, or since a former life of the agent. */
  changed(
    podUid: string,
    volume: string,
    of: Omit<Change, "atMs"> & { readonly atMs: number },
  ): void {
    this.#note(podUid, volume, { ...of, atMs: of.hasChanged ? of.atMs : undefined });
  }

  /** The volume as it is now, which others know. */
  shown(podUid: string, volume: string, now: MountedVolume): ShownVolume {
    const { version, versions, failure } = now;
    // What it is made of can change without a change of its files.
    const past = this.#note(podUid, volume, {
      version,
      versions,
      hasChanged: false,
      atMs: undefined,
    });
    return {
      ...{ version, versions, failure },
      shownAtMs: version === undefined ? undefined : past?.get(version)?.atMs,
      past: (files) => past?.get(files)?.versions,
    };
  }

  forget(podUid: string): void {
    this.#pods.delete(podUid);
  }

  #note(podUid: string, volume: string, change: Change): ReadonlyMap<string, Shown> | undefined {
    const { version, versions, hasChanged, atMs } = change;
    if (version === undefined) return undefined;
    const volumes = this.#pods.get(podUid) ?? new Map<string, Map<string, Shown>>();
    this.#pods.set(podUid, volumes);
    const past = volumes.get(volume) ?? new Map<string, Shown>();
    volumes.set(volume, past);
    const known = past.get(version);
    if (known !== undefined && !hasChanged) {
      known.versions = versions;
      return past;
    }
    past.delete(version);
    past.set(version, { versions, atMs });
    const [oldest] = past.keys();
    if (past.size > MAX_PAST && oldest !== undefined) past.delete(oldest);
    return past;
  }
}

interface Change {
  readonly version: string | undefined;
  readonly versions: readonly ObjectVersion[];
  readonly hasChanged: boolean;
  readonly atMs: number | undefined;
}
