// What to do about it: sets up what should be there and is not, or may show something old; tears down what should not be. Nothing
// polls. A volume is looked at when somebody says that something changed, when somebody waits for it, or when it is due: to be tried
// again, to be refreshed as its plugin asked, or because the net's turn has come.
//
// How no change is lost: every reason to set up a volume takes a number. A run covers all numbers that were given before it began,
// and none that came later; when it ends and a later number is there, the volume is run again.

import { aborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { VolumePlace } from "../agent-paths.ts";
import type { ActualState, ActualVolume } from "./actual-state.ts";
import type { DesiredState, WantedVolume } from "./desired-state.ts";
import type { Operations } from "./operations.ts";
import { type Fault, faultOf, Retry } from "./retry.ts";
import { Timetable } from "./timetable.ts";
import { TurnQueue } from "./turn-queue.ts";
import type { VolumeMetrics } from "./volume-metrics.ts";
import type { VolumeContent } from "./volume-plugin.ts";
import type { VolumeChange } from "./volumes.ts";
import { type PodWork, type VolumeWork, Works } from "./works.ts";

export interface ReconcilerOptions {
  readonly desired: DesiredState;
  readonly actual: ActualState;
  readonly operations: Operations;
  readonly metrics: VolumeMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onNextTurn: (callback: () => void) => void;
  /** How often a volume is set up again although nothing was heard of. */
  readonly syncPeriodMs: number;
  readonly onChange: (change: VolumeChange) => void;
  /** Something about this pod ended, well or not: whoever waits for it should look. */
  readonly onProgress: (podUid: string) => void;
}

// Longer than any honest answer takes; a connection that hangs must not keep a volume from being tried anew.
const SET_UP_TIMEOUT_MS = 30_000;
// A plugin that asks to be called again at once would keep a processor busy.
const MIN_REFRESH_MS = 10;
// The net's jitter: 1,000 volumes that began together are spread over half a period after the first.
const SYNC_JITTER = 0.5;

const unwanted = new DOMException("The volume is not wanted any more", "AbortError");
const stopped = new DOMException("The agent stops", "AbortError");

export class Reconciler {
  readonly #options: ReconcilerOptions;
  /** Of exactly the volumes that are wanted, there, or in the making, and of the pods whose directory is to be removed. */
  readonly #works = new Works();
  readonly #queue: TurnQueue<VolumeWork | PodWork>;
  /**
   * Of a volume that runs: when it has taken too long. Of one that does not: when it is to be looked at again. Those in the queue are
   * not in here.
   */
  readonly #timetable: Timetable<VolumeWork | PodWork>;
  /** The number of the last reason; of all volumes, so that numbers outlive works. */
  #lastReason = 0;
  #areAllWanted = false;

  constructor(options: ReconcilerOptions) {
    const { clock, onNextTurn } = options;
    this.#options = options;
    this.#queue = new TurnQueue({ clock, onNextTurn, perform: (work) => this.#perform(work) });
    this.#timetable = new Timetable({ clock, onDue: (work) => this.#due(work) });
  }

  /** Until this is called, everything only waits. */
  async run(signal: AbortSignal): Promise<void> {
    this.#queue.open();
    this.#timetable.open();
    await aborted(signal);
    this.#timetable.close();
    const ended = this.#queue.close();
    for (const { running } of this.#works.volumes) running?.abort(stopped);
    await ended;
  }

  /** The pod is wanted, whatever was said before. */
  keep(podUid: string): void {
    const pod = this.#works.findPod(podUid);
    if (pod) pod.isReleased = false;
  }

  /** A wanted volume is new, or what it is made of has changed; `heardMs` is when an object did. */
  changed(wanted: WantedVolume, heardMs?: number): void {
    const work = this.#works.of(wanted);
    if (!wanted.maker.requiresRemount && this.#isFine(work)) return;
    work.requested = ++this.#lastReason;
    work.isUrgent = true;
    work.retry = undefined;
    work.heardMs ??= heardMs;
    if (!work.running) this.#enqueue(work);
  }

  /**
   * Somebody is about to use it: the number of the reason that a run must have covered before they may; undefined if nothing can
   * have changed. Does not cut short a delay by more than a retry's first.
   */
  demand(wanted: WantedVolume): number | undefined {
    const work = this.#works.of(wanted);
    if (!wanted.maker.requiresRemount && this.#isFine(work)) return undefined;
    work.requested = ++this.#lastReason;
    if (work.running) return work.requested;
    this.#tryAgain(work);
    return work.requested;
  }

  /** A volume that was wanted is not, although its pod is. */
  dropped({ key }: WantedVolume): void {
    const work = this.#works.find(key);
    if (work) this.#lookAt(work);
  }

  /** The pod is not wanted any more: its volumes and its directory go. */
  release(podUid: string): void {
    const pod = this.#works.ofPod(podUid);
    pod.isReleased = true;
    this.#lookAtPod(pod);
  }

  /** A former life left these behind. */
  found(podUids: readonly string[], volumes: readonly ActualVolume[]): void {
    for (const volume of volumes) {
      this.#options.actual.set(volume);
      this.#works.of(volume.place);
    }
    for (const podUid of podUids) this.#lookAtPod(this.#works.ofPod(podUid));
  }

  /** From now on, what nobody wants goes. */
  allWanted(): void {
    this.#areAllWanted = true;
    for (const pod of this.#works.pods) this.#lookAtPod(pod);
  }

  /** What waits to be tried again because of the server need not wait; its count goes on. */
  serverIsBack(): void {
    for (const work of this.#works.volumes) {
      if (work.retry?.fault !== "remote" || work.running) continue;
      work.requested = ++this.#lastReason;
      this.#enqueue(work);
    }
  }

  hasPod(podUid: string): boolean {
    return this.#works.findPod(podUid) !== undefined;
  }

  /** Says whether a run that began after this reason was given has ended. */
  hasCovered(key: string, reason: number): boolean {
    const work = this.#works.find(key);
    return work !== undefined && work.covered >= reason;
  }

  failureOf(key: string): unknown {
    return this.#works.find(key)?.failure?.err;
  }

  /** Why the pod's volumes or its directory are still there; undefined if nothing failed. */
  removalFailureOf(podUid: string): unknown {
    const pod = this.#works.findPod(podUid);
    const works = [...(pod?.volumes ?? [])];
    return (pod?.failure ?? works.find(({ failure }) => failure)?.failure)?.err;
  }

  /** The volumes of the pod that are there, or may be. */
  remaining(podUid: string): readonly VolumePlace[] {
    const works = [...(this.#works.findPod(podUid)?.volumes ?? [])];
    return works.filter(({ key }) => this.#options.actual.get(key)).map(({ place }) => place);
  }

  #isFine({ key, failure }: VolumeWork): boolean {
    return failure === undefined && this.#options.actual.content(key) !== undefined;
  }

  #mayRemove({ podUid }: VolumePlace | PodWork): boolean {
    return this.#areAllWanted || this.#works.findPod(podUid)?.isReleased === true;
  }

  #lookAtPod(pod: PodWork): void {
    for (const work of pod.volumes) this.#lookAt(work);
    if (pod.volumes.size === 0) this.#enqueue(pod);
  }

  /** Whether it is to go. */
  #lookAt(work: VolumeWork): void {
    if (this.#options.desired.volume(work.key)) return;
    if (work.running) {
      work.running.abort(unwanted);
      return;
    }
    // That it could not be made is no reason to wait with its removal.
    if (work.failure?.of === "setUp") work.retry = undefined;
    this.#tryAgain(work);
  }

  /** At once, but what has just failed only soon. */
  #tryAgain(work: VolumeWork): void {
    if (work.retry) this.#dueBy(work, work.retry.soonMs);
    else this.#enqueue(work);
  }

  #enqueue(work: VolumeWork | PodWork): void {
    this.#timetable.delete(work);
    const isUrgent = work.kind === "volume" && work.heardMs !== undefined;
    this.#queue.add(work, isUrgent ? "urgent" : "routine");
  }

  #dueBy(work: VolumeWork | PodWork, atMs: number): void {
    this.#timetable.set(work, Math.min(atMs, this.#timetable.get(work) ?? Infinity));
  }

  #due(work: VolumeWork | PodWork): void {
    if (work.kind === "pod") {
      this.#enqueue(work);
    } else if (work.running) {
      const message = `Not set up within ${SET_UP_TIMEOUT_MS} ms`;
      work.running.abort(new DOMException(message, "TimeoutError"));
    } else {
      work.requested = ++this.#lastReason;
      this.#enqueue(work);
    }
  }

  async #perform(work: VolumeWork | PodWork): Promise<void> {
    if (work.kind === "pod") {
      this.#removePod(work);
      return;
    }
    // Asked now and not when it was queued: what was wanted then may not be any more.
    const wanted = this.#options.desired.volume(work.key);
    const there = this.#options.actual.get(work.key);
    if (wanted && this.#needsSetUp(work)) await this.#setUp(work, wanted);
    else if (!wanted && there && this.#isToGo(there)) await this.#tearDown(work, there);
    this.#plan(work);
    this.#options.onProgress(work.place.podUid);
  }

  #needsSetUp(work: VolumeWork): boolean {
    return work.requested > work.covered || !this.#isFine(work);
  }

  /** What nobody here knows is left to a pod that is wanted: it may be using it. */
  #isToGo({ place, maker }: ActualVolume): boolean {
    if (!maker && this.#options.desired.pod(place.podUid)) return false;
    return this.#mayRemove(place);
  }

  async #setUp(work: VolumeWork, wanted: WantedVolume): Promise<void> {
    const { operations, clock } = this.#options;
    const { requested, heardMs } = work;
    const controller = new AbortController();
    work.running = controller;
    work.isUrgent = false;
    work.heardMs = undefined;
    this.#timetable.set(work, clock.monotonicMs() + SET_UP_TIMEOUT_MS);
    const outcome = await outcomeOf(() => operations.setUp(wanted, controller.signal));
    work.running = undefined;
    this.#timetable.delete(work);
    if ("value" in outcome) {
      work.covered = requested;
      this.#succeeded(work, wanted, { content: outcome.value, heardMs });
      return;
    }
    // Not shown yet: the next run that shows it counts from when it was heard of.
    work.heardMs = heardMs ?? work.heardMs;
    if ([unwanted, stopped].includes(controller.signal.reason as DOMException)) {
      this.#cancelled(wanted);
    } else {
      work.covered = requested;
      this.#failed(work, wanted, outcome.err);
    }
  }

  #succeeded(
    work: VolumeWork,
    wanted: WantedVolume,
    { content, heardMs }: { readonly content: VolumeContent; readonly heardMs: number | undefined },
  ): void {
    const { actual, desired, metrics, clock, logger, onChange } = this.#options;
    const isNew = actual.content(work.key) === undefined;
    const hadFailed = work.failure !== undefined;
    const { maker } = wanted;
    actual.set({ place: work.place, maker, state: "mounted", content });
    this.#endFailure(work);
    if (content.hasChanged && !isNew) metrics.swapped(work.place.plugin);
    if (content.hasChanged && heardMs !== undefined) {
      metrics.propagated((clock.monotonicMs() - heardMs) / 1000);
    }
    if (hadFailed) logger.info("volume is set up again", { ...work.place });
    if (!desired.volume(work.key)) return;
    if (isNew || content.hasChanged || hadFailed) {
      onChange({ pod: wanted.pod, volume: wanted.volume, content, failure: undefined });
    }
  }

  /** G4: what was there stays there. What was never whole is not there, unless nobody can say. */
  #failed(work: VolumeWork, wanted: WantedVolume, err: unknown): void {
    const { actual, desired, onChange } = this.#options;
    const there = actual.get(work.key);
    const { maker } = wanted;
    if (isTimeout(err)) {
      if (!there) actual.set({ place: work.place, maker, state: "uncertain", isFound: false });
    } else if (there?.state === "uncertain" && !there.isFound) {
      actual.remove(work.key);
    }
    this.#countFailure(work, "setUp", err);
    if (!desired.volume(work.key)) return;
    const content = actual.content(work.key);
    onChange({ pod: wanted.pod, volume: wanted.volume, content, failure: err });
  }

  /** It was stopped somewhere in its middle. */
  #cancelled({ podUid, plugin, volume, key, maker }: WantedVolume): void {
    const { actual } = this.#options;
    if (actual.get(key)) return;
    const place = { podUid, plugin, volume };
    actual.set({ place, maker, state: "uncertain", isFound: false });
  }

  async #tearDown(work: VolumeWork, there: ActualVolume): Promise<void> {
    const { operations, actual, logger } = this.#options;
    const { place, maker } = there;
    work.running = new AbortController();
    // A change of what is to go is no reason to hurry, nor to try again without a pause.
    work.isUrgent = false;
    work.heardMs = undefined;
    this.#timetable.delete(work);
    const outcome = await outcomeOf(() => operations.tearDown(there));
    work.running = undefined;
    if ("value" in outcome) {
      this.#endFailure(work);
      actual.remove(work.key);
    } else if (maker) {
      const isFound = there.state === "uncertain" && there.isFound;
      actual.set({ place, maker, state: "uncertain", isFound });
      this.#countFailure(work, "tearDown", outcome.err);
    } else {
      // One try is all that can be done for what nobody knows.
      logger.warn("cannot remove volume of unknown plugin", { ...place, err: outcome.err });
      actual.remove(work.key);
    }
  }

  #countFailure(work: VolumeWork, of: "setUp" | "tearDown", err: unknown): void {
    const { metrics, logger } = this.#options;
    metrics.failed(work.place.plugin);
    if (!work.failure) metrics.failing(work.place.plugin, 1);
    // Once is enough for people: it is tried again up to ten times a second.
    const level = work.failure?.of === of ? "debug" : "warn";
    logger[level](of === "setUp" ? "cannot set up volume" : "cannot remove volume", {
      ...work.place,
      err,
    });
    const retry = work.failure?.of === of ? work.retry : undefined;
    work.failure = { err, of };
    // With a change at hand the count starts over: that is tried at once, and its failure is the first.
    work.retry = work.isUrgent ? undefined : this.#counted(retry, faultOf(err));
  }

  #endFailure(work: VolumeWork): void {
    if (work.failure) this.#options.metrics.failing(work.place.plugin, -1);
    work.failure = undefined;
    work.retry = undefined;
  }

  #counted(before: Retry | undefined, fault: Fault): Retry {
    const retry = before?.fault === fault ? before : new Retry(fault, this.#options);
    retry.count();
    return retry;
  }

  /** What comes next for a volume that does not run. */
  #plan(work: VolumeWork): void {
    const { desired, actual } = this.#options;
    const wanted = desired.volume(work.key);
    const there = actual.get(work.key);
    if (!wanted && !(there && this.#isToGo(there))) {
      // What nobody wants and may not go yet waits without a time: it is looked at when it may.
      if (!there) this.#forget(work);
    } else if (wanted && !work.isUrgent && !work.retry && !this.#needsSetUp(work)) {
      this.#timetable.set(work, this.#nextRefreshMs(wanted));
    } else if (work.retry && !work.isUrgent) {
      const isAwaited = work.requested > work.covered;
      this.#timetable.set(work, isAwaited ? work.retry.soonMs : work.retry.dueMs);
    } else {
      this.#enqueue(work);
    }
  }

  #nextRefreshMs({ key, maker }: WantedVolume): number {
    const { actual, clock, random, syncPeriodMs } = this.#options;
    const syncMs = syncPeriodMs * (1 + SYNC_JITTER * random.next());
    const refreshMs = actual.content(key)?.refreshAfterMs ?? Infinity;
    const netMs = maker.requiresRemount ? syncMs : Infinity;
    return clock.monotonicMs() + Math.min(netMs, Math.max(MIN_REFRESH_MS, refreshMs));
  }

  #removePod(pod: PodWork): void {
    const { desired, operations, logger, onProgress } = this.#options;
    const { podUid } = pod;
    if (pod.volumes.size > 0) return;
    if (desired.pod(podUid)) {
      this.#works.forgetPod(podUid);
      return;
    }
    if (!this.#mayRemove(pod)) return;
    try {
      operations.removePod(podUid);
    } catch (err) {
      if (!pod.failure) logger.warn("cannot remove the directory of a pod", { podUid, err });
      pod.failure = { err };
      pod.retry = this.#counted(pod.retry, "removal");
      this.#timetable.set(pod, pod.retry.dueMs);
      return;
    }
    this.#works.forgetPod(podUid);
    onProgress(podUid);
  }

  #forget(work: VolumeWork): void {
    this.#endFailure(work);
    this.#timetable.delete(work);
    this.#queue.delete(work);
    const pod = this.#works.forget(work);
    if (pod.volumes.size === 0) this.#enqueue(pod);
  }
}

type Outcome<T> = { readonly value: T } | { readonly err: unknown };

async function outcomeOf<T>(act: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await act() };
  } catch (err) {
    return { err };
  }
}

/** Nobody can say how far it got. */
function isTimeout(err: unknown): boolean {
  return err instanceof Error && err.name === "TimeoutError";
}
