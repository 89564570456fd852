// Volumes, from its five roles. This file wires them and answers those who wait; what happens, and when, is in reconciler.ts.

import type { Pod } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Mounts } from "../../mounts/mounts.ts";
import type { AgentPaths } from "../agent-paths.ts";
import type { ObjectManager } from "../objects/object-manager.ts";
import type { SubPaths } from "../sub-path/sub-paths.ts";
import { ActualState } from "./actual-state.ts";
import { DesiredState, uidOf } from "./desired-state.ts";
import { mountError, unmountError } from "./mount-failure.ts";
import { Operations } from "./operations.ts";
import { PodWaits } from "./pod-waits.ts";
import { Reconciler } from "./reconciler.ts";
import { findVolumes } from "./reconstruction.ts";
import { volumeMetrics } from "./volume-metrics.ts";
import type { VolumePlugin } from "./volume-plugin.ts";
import type {
  MountedVolume,
  MountedVolumes,
  VolumeChange,
  VolumeChangeHandler,
  Volumes,
} from "./volumes.ts";

export interface VolumeManagerOptions {
  readonly paths: AgentPaths;
  /** The first that supports a volume makes it. */
  readonly plugins: readonly VolumePlugin[];
  readonly objects: Pick<ObjectManager, "onChange">;
  readonly mounts: Pick<Mounts, "below" | "unmount">;
  readonly subPaths: Pick<SubPaths, "clean">;
  /** Calls back at the end of this turn of the event loop: setImmediate. */
  readonly onNextTurn: (callback: () => void) => void;
  /** How often a volume is set up again although nothing was heard of: the kubelet's syncFrequency, 60 s. */
  readonly syncPeriodMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

// The kubelet's: two minutes, and a little so that what is limited to two minutes below it ends first.
const WAIT_MS = 123_000;

export class VolumeManager implements Volumes {
  readonly #options: VolumeManagerOptions;
  readonly #desired: DesiredState;
  readonly #actual: ActualState;
  readonly #reconciler: Reconciler;
  readonly #waits: PodWaits;
  readonly #handlers = new Set<VolumeChangeHandler>();
  readonly #progressHandlers = new Set<(podUid: string) => void>();

  constructor(options: VolumeManagerOptions) {
    const { plugins, clock, random, logger, onNextTurn, syncPeriodMs } = options;
    const metrics = volumeMetrics(options.metrics);
    this.#options = options;
    this.#desired = new DesiredState(plugins);
    this.#actual = new ActualState(metrics);
    this.#waits = new PodWaits(clock);
    this.#reconciler = new Reconciler({
      desired: this.#desired,
      actual: this.#actual,
      operations: new Operations(options),
      ...{ metrics, clock, random, logger, onNextTurn, syncPeriodMs },
      onChange: (change) => this.#tell(change),
      onProgress: (podUid) => {
        this.#waits.progressed(podUid);
        for (const handler of this.#progressHandlers) handler(podUid);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { objects, clock } = this.#options;
    const { podUids, volumes } = findVolumes(this.#options);
    this.#reconciler.found(podUids, volumes);
    using _changes = objects.onChange((change) => {
      const heardMs = clock.monotonicMs();
      for (const wanted of this.#desired.usersOf(change)) this.#reconciler.changed(wanted, heardMs);
    });
    await this.#reconciler.run(signal);
  }

  want(pod: Pod): void {
    const { changed, dropped } = this.#desired.want(pod);
    this.#reconciler.keep(uidOf(pod));
    for (const wanted of changed) this.#reconciler.changed(wanted);
    for (const old of dropped) this.#reconciler.dropped(old);
  }

  async mounted(podUid: string, signal: AbortSignal): Promise<MountedVolumes> {
    const volumes = [...(this.#desired.pod(podUid)?.volumes.values() ?? [])];
    const demands = new Map(volumes.map((each) => [each.key, this.#reconciler.demand(each)]));
    const isDone = (): boolean => {
      const wanted = this.#desired.pod(podUid);
      if (!wanted || wanted.refused.size > 0) throw this.#mountError(podUid);
      return [...wanted.volumes.values()].every(({ key }) => this.#isShown(key, demands.get(key)));
    };
    if (await this.#waits.until(podUid, { isDone, timeoutMs: WAIT_MS, signal })) {
      return this.current(podUid);
    }
    // What is there but was not refreshed in time counts as there.
    if (this.#missing(podUid).length === 0) return this.current(podUid);
    throw this.#mountError(podUid);
  }

  current(podUid: string): MountedVolumes {
    const mounted = new Map<string, MountedVolume>();
    for (const { volume, key, plugin } of this.#desired.pod(podUid)?.volumes.values() ?? []) {
      const content = this.#actual.content(key);
      const failure = this.#reconciler.failureOf(key);
      if (content) mounted.set(volume, { ...content, plugin, failure });
    }
    return mounted;
  }

  /** Why those of the pod are not known to be there, where an attempt has failed; by the pod's names. */
  failures(podUid: string): ReadonlyMap<string, unknown> {
    const volumes = [...(this.#desired.pod(podUid)?.volumes.values() ?? [])];
    const missing = volumes.filter(({ key }) => this.#actual.content(key) === undefined);
    const failed = missing.map(
      ({ volume, key }) => [volume, this.#reconciler.failureOf(key)] as const,
    );
    return new Map(failed.filter(([, failure]) => failure !== undefined));
  }

  unwant(podUid: string): void {
    this.#desired.unwant(podUid);
    this.#reconciler.release(podUid);
    this.#waits.progressed(podUid);
  }

  async unmounted(podUid: string, signal: AbortSignal): Promise<void> {
    const isWanted = (): boolean => this.#desired.pod(podUid) !== undefined;
    if (!isWanted()) this.#reconciler.release(podUid);
    const isDone = (): boolean => !isWanted() && !this.#reconciler.hasPod(podUid);
    if (await this.#waits.until(podUid, { isDone, timeoutMs: WAIT_MS, signal })) return;
    const places = this.#reconciler.remaining(podUid);
    const names = places.map(({ plugin, volume }) => `${plugin}/${podUid}-${volume}`);
    throw unmountError(names, this.#reconciler.removalFailureOf(podUid));
  }

  allWanted(): void {
    this.#reconciler.allWanted();
  }

  serverIsBack(): void {
    this.#reconciler.serverIsBack();
  }

  onChange(handler: VolumeChangeHandler): Disposable {
    // A function of its own, or a handler that is added twice would go at once.
    const own: VolumeChangeHandler = (change) => handler(change);
    this.#handlers.add(own);
    return { [Symbol.dispose]: () => void this.#handlers.delete(own) };
  }

  /** Called each time that a volume of the pod was looked after, whatever came of it. It must not throw. */
  onProgress(handler: (podUid: string) => void): Disposable {
    const own = (podUid: string): void => handler(podUid);
    this.#progressHandlers.add(own);
    return { [Symbol.dispose]: () => void this.#progressHandlers.delete(own) };
  }

  #isShown(key: string, demand: number | undefined): boolean {
    if (!this.#actual.content(key)) return false;
    return demand === undefined || this.#reconciler.hasCovered(key, demand);
  }

  #missing(podUid: string): readonly string[] {
    const volumes = [...(this.#desired.pod(podUid)?.volumes.values() ?? [])];
    return volumes.filter(({ key }) => !this.#actual.content(key)).map(({ volume }) => volume);
  }

  #mountError(podUid: string): Error {
    const wanted = this.#desired.pod(podUid);
    const missing = this.#missing(podUid);
    const keys = missing.flatMap((volume) => wanted?.volumes.get(volume)?.key ?? []);
    const failure = keys.map((key) => this.#reconciler.failureOf(key)).find((err) => err);
    return mountError(wanted, missing, failure);
  }

  #tell(change: VolumeChange): void {
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (err) {
        // One who listens must not stop the volumes of all.
        this.#options.logger.error("a handler of volume changes failed", { err });
      }
    }
  }
}
