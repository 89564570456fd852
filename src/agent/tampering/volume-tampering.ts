// Notices when a config volume was changed by somebody else than the agent. The agent's own writes make new directories, so whatever happens
// in a version that is written is somebody else's; an event brings a look, and the look decides. Costs two watches of the system's per volume,
// and one for each sub directory, of which only a few are watched.
//
//   the agent has written (shown) ──> watched ──event──> looked at soon ──> right: watched again
//                                                             └──> wrong: said, until the agent has written it anew (shown)
//
// The volume's next refresh verifies what was touched thoroughly (`isSuspect`) and so heals it. What no event told of, the refresh's quick look
// finds: that is also what is left when the system has no watches left.

import { existsSync } from "node:fs";
import type { Pod } from "../../api/types.ts";
import { aborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { DirectoryWatch } from "../../files/directory-watch.ts";
import { DATA_LINK } from "../../files/layout.ts";
import { dataTarget } from "../../files/survey.ts";
import { readVersionRecord } from "../../files/version-record.ts";
import type { AgentPaths, VolumePlace } from "../agent-paths.ts";
import { aboutPod } from "../pods/pod-events.ts";
import type { Tampering, TamperingWatch } from "../views/view-sources.ts";
import { volumeKey } from "../volumes/desired-state.ts";
import {
  directoriesOf,
  tamperedBefore,
  tamperedFiles,
  type WrittenVersion,
  wasTouched,
} from "./look-at-volume.ts";

export interface VolumeTamperingOptions {
  readonly paths: Pick<AgentPaths, "volume">;
  readonly events: Events;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Watched {
  readonly place: VolumePlace;
  readonly watch: DirectoryWatch;
  pod: Pod;
  written: WrittenVersion;
  /** Something happened since it was written. */
  isSuspect: boolean;
  /** The look that is due. */
  look: Disposable | undefined;
  found: Tampering | undefined;
  /** Of versions that it showed before, the newest first. */
  past: readonly Tampering[];
}

/** Time for whoever is at it to finish; and how often one volume is looked at, at most. */
const LOOK_AFTER_MS = 100;
/** Beside the volume's root and the version's own directory. */
const MAX_SUB_DIRECTORIES = 8;
const MAX_NAMES_TOLD = 10;
const MAX_PAST = 8;

export class VolumeTampering implements TamperingWatch {
  readonly #options: VolumeTamperingOptions;
  /** By pod, and by key. */
  readonly #pods = new Map<string, Map<string, Watched>>();
  readonly #handlers = new Set<(podUid: string) => void>();
  #hasComplained = false;

  constructor(options: VolumeTamperingOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    for (const watched of this.#pods.values()) for (const one of watched.values()) this.#leave(one);
    this.#pods.clear();
  }

  /** The agent has just looked after the volume, in this turn, and has written a new version if `hasChanged`. */
  shown(place: VolumePlace, hasChanged: boolean, pod: Pod): void {
    const written = this.#writtenAt(place);
    if (written === undefined) return;
    const known = this.#find(place);
    if (known === undefined) {
      this.#begin({ place, pod, written, isNew: hasChanged });
      return;
    }
    known.pod = pod;
    // What was suspect was verified by the write.
    known.isSuspect = false;
    if (hasChanged || written.directory !== known.written.directory) {
      // The same content was written again: the agent did not find what it had written.
      const isHealed = hasChanged && written.version === known.written.version;
      if (isHealed && known.found === undefined) this.#complain(known, "it has been written anew");
      this.#remember(known);
      known.written = written;
      // In the turn of the write: the events of the agent's own work go to nobody.
      this.#arm(known);
      this.#set(known, []);
    } else if (known.found !== undefined) {
      this.#look(known);
    } else {
      this.#glance(known);
    }
  }

  /** The version that has just been replaced: what was done to it last, nobody has looked at yet, and parts that do not follow show it still. */
  #remember(known: Watched): void {
    const { place, written, found, past } = known;
    const { volume } = place;
    if (!hasPartsOf(known.pod, volume)) return;
    const files = tamperedBefore(written);
    if (files.length === 0) return;
    const sinceMs = found?.sinceMs ?? this.#options.clock.now();
    const last = { volume, version: written.version, isPast: true, files, sinceMs };
    known.past = [last, ...past].slice(0, MAX_PAST);
    if (found === undefined) this.#complain(known, "parts of it may still show that");
    this.#tell(place.podUid);
  }

  /** Its next write must not trust what it remembers. */
  isSuspect(place: VolumePlace): boolean {
    return this.#find(place)?.isSuspect === true;
  }

  /** The agent takes the volume away. */
  removed(place: VolumePlace): void {
    const volumes = this.#pods.get(place.podUid);
    const watched = volumes?.get(volumeKey(place));
    if (volumes === undefined || watched === undefined) return;
    this.#leave(watched);
    volumes.delete(volumeKey(place));
    if (volumes.size === 0) this.#pods.delete(place.podUid);
    if (watched.found !== undefined) this.#tell(place.podUid);
  }

  of(podUid: string): readonly Tampering[] {
    return [...(this.#pods.get(podUid)?.values() ?? [])].flatMap(({ found, past }) =>
      found === undefined ? past : [found, ...past],
    );
  }

  onChange(handler: (podUid: string) => void): Disposable {
    const own = (podUid: string): void => handler(podUid);
    this.#handlers.add(own);
    return { [Symbol.dispose]: () => void this.#handlers.delete(own) };
  }

  #begin(of: {
    readonly place: VolumePlace;
    readonly pod: Pod;
    readonly written: WrittenVersion;
    readonly isNew: boolean;
  }): void {
    const { place, pod, written, isNew } = of;
    const watched: Watched = {
      ...{ place, pod, written, isSuspect: false, look: undefined, found: undefined, past: [] },
      watch: new DirectoryWatch({
        onEvent: () => this.#heard(watched),
        // Versions that come and go beside it are the agent's.
        ignores: (name) => name.startsWith("..") && name !== DATA_LINK,
      }),
    };
    const volumes = this.#pods.get(place.podUid) ?? new Map<string, Watched>();
    this.#pods.set(place.podUid, volumes.set(volumeKey(place), watched));
    this.#arm(watched);
    // It may have been changed while no agent was there.
    if (!isNew) this.#glance(watched);
  }

  #find(place: VolumePlace): Watched | undefined {
    return this.#pods.get(place.podUid)?.get(volumeKey(place));
  }

  #writtenAt(place: VolumePlace): WrittenVersion | undefined {
    const root = this.#options.paths.volume(place);
    const directory = dataTarget(root);
    const record = directory === undefined ? undefined : readVersionRecord(`${root}/${directory}`);
    return directory === undefined || record === undefined
      ? undefined
      : { root, directory, version: record.version };
  }

  #leave({ watch, look }: Watched): void {
    watch[Symbol.dispose]();
    look?.[Symbol.dispose]();
  }

  #heard(watched: Watched): void {
    watched.isSuspect = true;
    watched.look ??= this.#options.clock.schedule(LOOK_AFTER_MS, () => this.#look(watched));
  }

  #glance(watched: Watched): void {
    if (wasTouched(watched.written)) this.#heard(watched);
    else if (!watched.watch.isArmed && watched.look === undefined) this.#arm(watched);
  }

  #look(watched: Watched): void {
    watched.look?.[Symbol.dispose]();
    watched.look = undefined;
    // Before the look, so that nothing falls between the two.
    this.#arm(watched);
    this.#set(watched, tamperedFiles(watched.written));
  }

  #arm(watched: Watched): void {
    const { logger } = this.#options;
    const { root } = watched.written;
    watched.watch[Symbol.dispose]();
    try {
      const [own = root, ...below] = directoriesOf(watched.written);
      watched.watch.arm([root, own, ...below.slice(0, MAX_SUB_DIRECTORIES)]);
    } catch (err) {
      // What is gone cannot be watched, and is found by the look.
      if (!existsSync(`${root}/${watched.written.directory}`)) return;
      logger[this.#hasComplained ? "debug" : "warn"](
        "cannot watch a volume for changes by others: they are found at its next sync; raise fs.inotify.max_user_watches",
        { path: root, err },
      );
      this.#hasComplained = true;
    }
  }

  #set(watched: Watched, files: readonly string[]): void {
    const { clock, logger } = this.#options;
    const { place, found } = watched;
    const { podUid, volume } = place;
    if (files.length === 0) {
      if (found === undefined) return;
      watched.found = undefined;
      logger.info("volume is as it was written again", { podUid, volume });
    } else {
      if (found !== undefined && found.files.join("\0") === files.join("\0")) return;
      const { version } = watched.written;
      const sinceMs = found?.sinceMs ?? clock.now();
      watched.found = { volume, version, isPast: false, files, sinceMs };
      const names = files.slice(0, MAX_NAMES_TOLD).map((name) => JSON.stringify(name));
      const more = files.length - names.length;
      const all = `${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
      this.#complain(watched, `${all}. The next sync of the volume writes it anew`);
    }
    this.#tell(podUid);
  }

  #complain({ pod, place }: Watched, what: string): void {
    const { events, logger } = this.#options;
    const { podUid, volume } = place;
    const message = `volume ${JSON.stringify(volume)} was changed on the node by somebody else than the agent: ${what}`;
    logger.warn("volume was changed by somebody else", { podUid, volume });
    aboutPod(events, pod)("Warning", "TamperedOnDisk", message);
  }

  #tell(podUid: string): void {
    for (const handler of this.#handlers) handler(podUid);
  }
}

/** A container has a part of it mounted, which may not follow it. */
function hasPartsOf({ spec }: Pod, volume: string): boolean {
  const containers = [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  return containers.some(({ volumeMounts = [] }) =>
    volumeMounts.some(
      ({ name, subPath, subPathExpr }) => name === volume && (subPath ?? subPathExpr) !== undefined,
    ),
  );
}
