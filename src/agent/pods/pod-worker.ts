// The life of one pod on this node. One worker per uid; whatever happens meanwhile is looked at when the current step ends.
//
//   syncing ──► terminating ──► terminated ──► (gone)
//
// - syncing: containers are started, restarted and watched. It ends when the pod is over (all containers ended for good, a
//   deadline, rejected by the node), when it is deleted, or when nobody knows it any more.
// - terminating: containers are stopped, sidecars after the others, then the last report is made, then volumes are taken down and objects
//   let go. Steps that fail are tried again; nothing is started any more.
// - terminated: nothing of the pod runs or is mounted. A pod that is over stays here, with its ended containers, until it is
//   deleted: exit codes and logs are still asked for. A deleted one loses them now and is gone.
//
// Stopping the agent stops no pod: the worker ends where it is, and the next one goes on from what the runtime has.

import { addAbortListener } from "node:events";
import { rm } from "node:fs/promises";
import { timestampMs } from "../../api/duration.ts";
import type { Pod } from "../../api/types.ts";
import { isAbort, linkSignals, untilAborted } from "../../base/abort.ts";
import { ContainerHealth } from "./container-health.ts";
import { ContainerStops } from "./container-stops.ts";
import { FailedStarts } from "./failed-starts.ts";
import { graceSeconds } from "./grace-period.ts";
import { nextSyncMs, type SyncFailure } from "./next-sync.ts";
import { isOver, stopping } from "./pod-actions.ts";
import { whyRejected } from "./pod-admission.ts";
import { podChange } from "./pod-change.ts";
import { type PodContainers, podContainers, running } from "./pod-containers.ts";
import { aboutPod } from "./pod-events.ts";
import type { PodParts } from "./pod-parts.ts";
import { PodReporter } from "./pod-reporter.ts";
import type { Verdict } from "./pod-status.ts";
import { PodSync } from "./pod-sync.ts";
import { messageOf } from "./start-container.ts";
import { unlessAborted } from "./unless-aborted.ts";

type Stage = "syncing" | "terminating" | "terminated";

const FOREVER_MS = Number.POSITIVE_INFINITY;

/** Who is evicted has no time to get even bigger. */
const EVICTION_GRACE_SECONDS = 1;

const DEADLINE: Verdict = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};

export class PodWorker {
  readonly uid: string;
  readonly #parts: PodParts;
  readonly #reporter: PodReporter;
  readonly #stops: ContainerStops;
  readonly #sync: PodSync;
  #pod: Pod;
  #stage: Stage = "syncing";
  /** Aborted when the pod has to stop, for whatever reason. */
  readonly #quit = new AbortController();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  /** It is deleted: nothing of it stays. */
  #isLeaving = false;
  /** Nobody is interested in how it is. */
  #isUnknown = false;
  /** It was over before this worker was there, and how is on the server. */
  #isToldOver = false;
  #verdict: Verdict | undefined;
  /** Set when it has to stop. Gets only shorter. */
  #graceSeconds: number | undefined;
  /** Something happened since the current step began. */
  #isDirty = false;
  /** The last sync failed in a way that has no time of its own to be tried again. */
  #isStuck = false;
  /** What it may have failed for has changed since it began. */
  #hasCauseChanged = false;
  #wakeUp: (() => void) | undefined;

  constructor(parts: PodParts, pod: Pod) {
    const { uid = "", namespace, name } = pod.metadata;
    this.uid = uid;
    this.#parts = { ...parts, logger: parts.logger.child({ namespace, name, podUid: uid }) };
    this.#pod = pod;
    const health = new ContainerHealth(parts.probes);
    const failedStarts = new FailedStarts(parts.clock);
    this.#reporter = new PodReporter(parts, { health, failedStarts });
    this.#stops = new ContainerStops(this.#parts);
    const own = { reporter: this.#reporter, health, stops: this.#stops, failedStarts };
    this.#sync = new PodSync(parts, own);
  }

  get pod(): Pod {
    return this.#pod;
  }

  get stage(): Stage {
    return this.#stage;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** It is not on the server, or not any more. */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** Settles when none of its containers runs any more. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /** Settles when `run` does. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** The pod as it is now. What changes only its status changes nothing here. */
  update(pod: Pod): void {
    const change = podChange(this.#pod, pod);
    this.#pod = pod;
    if (change === "update") this.#parts.objects.invalidate(this.uid);
    if (change === "update" && !this.#quit.signal.aborted) this.#sync.refresh(pod);
    if (pod.metadata.deletionTimestamp !== undefined) this.#leave();
    else if (change === "update" || isOver(pod.status.phase)) this.wake();
    else if ((pod.spec.readinessGates ?? []).length > 0 && this.#stage === "syncing")
      this.#report();
  }

  /** The server has it no more, or its file is gone: it stops, and nobody is told how. */
  remove(pod: Pod = this.#pod): void {
    this.#pod = pod;
    this.#isUnknown = true;
    this.#leave();
  }

  /** A container has ended. The server hears of it before anything is done about it. */
  containerEnded(): void {
    if (this.#stage === "syncing" && !this.#isLeaving) this.#report();
    this.wake();
  }

  /** A probe found something else than before. Who is ready is told at once, also while the pod stops. */
  probesChanged(): void {
    const isStopping = this.#stage === "terminating" && running(this.#containers()).length > 0;
    if ((this.#stage === "syncing" || isStopping) && !this.#isToldOver) this.#report();
    if (this.#stage === "syncing") this.wake();
  }

  /** It took more than its share, and ends soon and as failed. */
  evict(verdict: Verdict): void {
    if (this.#quit.signal.aborted) return;
    aboutPod(this.#parts.events, this.#pod)("Warning", verdict.reason, verdict.message);
    this.#verdict = verdict;
    this.#graceSeconds = EVICTION_GRACE_SECONDS;
    this.#stop();
  }

  /** Something came that it may have waited for: a volume, an object. Who is stuck tries again at once. */
  causeChanged(): void {
    this.#hasCauseChanged = true;
    if (this.#isStuck) this.wake();
  }

  wake(): void {
    this.#isDirty = true;
    this.#wakeUp?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      this.#begin();
      while (this.#stage === "syncing" && !signal.aborted) await this.#syncOnce(signal);
      while (this.#stage === "terminating" && !signal.aborted) {
        await this.#untilDone("terminating", signal, () => this.#terminate(signal));
      }
      while (!this.#isLeaving && !signal.aborted) await this.#pause(FOREVER_MS, signal);
      let isGone = false;
      while (!isGone && !signal.aborted) {
        isGone = await this.#untilDone("terminated", signal, () => this.#clear());
      }
    } finally {
      this.#stops.end();
      this.#parts.probes.forget(this.uid);
      this.#reporter.forget();
      this.#stopped.resolve();
      this.#ended.resolve();
    }
  }

  /** Synchronous: who has containers from a former life must hold on to their volumes before anybody takes them down. */
  #begin(): void {
    const { objects, volumes, probes, node, events } = this.#parts;
    const pod = this.#pod;
    const containers = this.#containers();
    if (isOver(pod.status.phase)) {
      this.#reporter.keep(pod.status);
      this.#isToldOver = true;
      this.#stop();
    }
    if (pod.metadata.deletionTimestamp !== undefined) this.#leave();
    if (running(containers).length > 0 && !this.#isUnknown) {
      objects.register(pod);
      volumes.want(pod);
      // Before the first report: who was ready is ready.
      probes.follow(pod);
    }
    if (containers.size > 0 || this.#quit.signal.aborted) return;
    const rejected = whyRejected(pod, node.name);
    if (rejected === undefined) return;
    aboutPod(events, pod)("Warning", rejected.reason, rejected.message);
    this.#reporter.reject(pod, rejected);
    this.#stopped.resolve();
    this.#stage = "terminated";
  }

  async #syncOnce(signal: AbortSignal): Promise<void> {
    const { clock, random, metrics } = this.#parts;
    this.#isDirty = false;
    this.#isStuck = false;
    this.#hasCauseChanged = false;
    const beganMs = clock.monotonicMs();
    const failures = await this.#attempt(signal);
    this.#isStuck = failures.some(({ retryAtMs }) => retryAtMs === undefined);
    if (this.#isStuck && this.#hasCauseChanged) this.#isDirty = true;
    if (!this.#quit.signal.aborted && this.#sync.hasMore(this.#pod)) this.#isDirty = true;
    metrics.syncSeconds.observe((clock.monotonicMs() - beganMs) / 1000, { operation_type: "sync" });
    const isTransition = this.#quit.signal.aborted;
    if (isTransition) this.#stage = "terminating";
    const nowMs = clock.now();
    const delayMs = nextSyncMs({ isTransition, failures }, { nowMs, random });
    if (delayMs > 0) await this.#pause(Math.min(delayMs, this.#deadlineMs() - nowMs), signal);
  }

  async #attempt(signal: AbortSignal): Promise<readonly SyncFailure[]> {
    const { clock, logger, events } = this.#parts;
    if (this.#quit.signal.aborted) return [];
    this.#report();
    if (this.#deadlineMs() <= clock.now()) {
      aboutPod(events, this.#pod)("Normal", DEADLINE.reason, DEADLINE.message);
      this.#verdict = DEADLINE;
    }
    if (this.#verdict !== undefined || this.#isDone()) {
      this.#stop();
      return [];
    }
    using either = linkSignals(signal, this.#quit.signal);
    let failures: readonly SyncFailure[] = [];
    try {
      failures = await this.#sync.run(this.#pod, either.signal);
    } catch (err) {
      if (isAbort(err, either.signal)) return [];
      failures = [{ err }];
      const message = `error syncing pod: ${messageOf(err)}`;
      aboutPod(events, this.#pod)("Warning", "FailedSync", message);
    }
    for (const { err } of failures) logger.warn("pod is not what it should be", { err });
    if (!this.#quit.signal.aborted) this.#report();
    return failures;
  }

  #isDone(): boolean {
    if (isOver(this.#reporter.status(this.#pod).phase)) return true;
    return this.#sync.plan(this.#pod).isDone;
  }

  #deadlineMs(): number {
    const seconds = this.#pod.spec.activeDeadlineSeconds;
    const startMs = timestampMs(this.#reporter.status(this.#pod).startTime);
    if (seconds === undefined || startMs === undefined) return Number.POSITIVE_INFINITY;
    return startMs + 1000 * seconds;
  }

  async #terminate(signal: AbortSignal): Promise<void> {
    const { objects, volumes, probes } = this.#parts;
    probes.stopping(this.uid);
    await this.#stopContainers(signal);
    probes.forget(this.uid);
    this.#stopped.resolve();
    if (!this.#isUnknown && !this.#isToldOver) {
      this.#reporter.report(this.#pod, { isTerminal: true, verdict: this.#verdict });
    }
    volumes.unwant(this.uid);
    await volumes.unmounted(this.uid, signal);
    objects.unregister(this.uid);
    this.#stage = "terminated";
  }

  async #stopContainers(signal: AbortSignal): Promise<void> {
    const pod = this.#pod;
    const seconds = this.#graceSeconds ?? graceSeconds(pod);
    const requests = running(this.#containers()).map((container) => {
      return { pod, container, message: stopping(container), graceSeconds: seconds };
    });
    try {
      // An agent that ends leaves them to the next one.
      await unlessAborted(this.#stops.stopAll(requests), signal);
    } catch (err) {
      if (isAbort(err, signal)) throw err;
      const message = `error killing pod: ${messageOf(err)}`;
      aboutPod(this.#parts.events, pod)("Warning", "FailedKillPod", message);
      throw new Error(message, { cause: err });
    }
  }

  async #clear(): Promise<void> {
    const { runtime, paths, statuses } = this.#parts;
    const { namespace = "", name: podName = "" } = this.#pod.metadata;
    for (const { id } of [...this.#containers().values()].flat()) await runtime.remove(id);
    await runtime.removeSandbox(this.uid);
    const logs = paths.podLogs({ namespace, podName, podUid: this.uid });
    await rm(logs, { recursive: true, force: true });
    if (!this.#isUnknown) statuses.finish(this.#pod);
  }

  /** Once; if it does not work there is a pause, and then it is for the caller to try again. */
  async #untilDone(
    operation: string,
    signal: AbortSignal,
    step: () => Promise<void>,
  ): Promise<boolean> {
    const { clock, random, metrics, logger } = this.#parts;
    const beganMs = clock.monotonicMs();
    try {
      await step();
      return true;
    } catch (err) {
      if (isAbort(err, signal)) return false;
      logger.warn("pod cannot be ended yet", { err, operation });
      const failure = { isTransition: false, failures: [{ err }] };
      const delayMs = nextSyncMs(failure, { nowMs: clock.now(), random });
      // Not even news make it faster: what could not be unmounted now cannot be in a moment.
      await untilAborted(signal, (one) => clock.sleep(delayMs, one));
      return false;
    } finally {
      const seconds = (clock.monotonicMs() - beganMs) / 1000;
      metrics.syncSeconds.observe(seconds, { operation_type: operation });
    }
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#stop();
  }

  #stop(): void {
    const before = this.#graceSeconds;
    this.#graceSeconds = graceSeconds(this.#pod, before);
    this.#quit.abort();
    if (before !== undefined && this.#graceSeconds < before) this.#stops.hurry(this.#graceSeconds);
    this.wake();
  }

  #report(): void {
    if (this.#isUnknown || this.#sync.isReplacing(this.#pod)) return;
    this.#reporter.report(this.#pod, { isTerminal: false, verdict: undefined });
  }

  #containers(): PodContainers {
    return podContainers(this.#parts.runtime.list(this.uid), this.uid);
  }

  /** Until something happens, or the time is over. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isDirty || signal.aborted) {
      this.#isDirty = false;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    using _timer = this.#parts.clock.schedule(Math.max(0, ms), resolve);
    using _listener = addAbortListener(signal, () => resolve());
    await promise;
    this.#wakeUp = undefined;
  }
}
