// Restarts workloads whose configuration has changed in a way that their processes cannot see: environment, arguments, frozen files; or whatever their
// annotations ask a restart for. By level: what the pods were made for (kept on the workload itself) is compared with what the objects hold now,
// whatever happened in between and whoever was watching. A workload is looked at in these steps:
//
//   1. nothing asked for: what was kept is taken away, so that asking again later begins anew
//   2. a pause of ours that is over ends
//   3. the first sight of a workload or an object is kept, and restarts nothing, unless views show that pods have frozen content (seen-drift.ts)
//   4. a change waits for others that come with it (quiet-time.ts)
//   5. pods that already have the content, because they were started after the change, are left alone (pod-standing.ts)
//   6. one patch restarts it and keeps what it was restarted for: both or neither

import { StatusError } from "../../api/status-error.ts";
import { describe } from "../../base/errors.ts";
import type { Change } from "../../client/informer.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { referenceTo } from "../../controller/owner.ts";
import { POD, type PodObject } from "../pods/pod-object.ts";
import { AskingWorkload } from "./asking-workload.ts";
import type { ConfigDigest } from "./config-digest.ts";
import { INHERITED } from "./inherited-annotations.ts";
import { pauseLeftMs } from "./pause-period.ts";
import { podStanding, type Standing, type ViewObject, worst } from "./pod-standing.ts";
import { QUIET_TIMES, QuietTime, type QuietTimes } from "./quiet-time.ts";
import { noReloadMetrics, type ReloadMetrics } from "./reload-metrics.ts";
import { ReloadSources } from "./reload-sources.ts";
import {
  BASELINE,
  difference,
  type ObjectChange,
  objectName,
  parseState,
  type ReloadState,
  type StateDifference,
  stateText,
} from "./reload-state.ts";
import {
  podTarget,
  type ReloadTarget,
  targetKey,
  WORKLOADS,
  type WorkloadObject,
  workloadTarget,
} from "./reload-target.ts";
import { changesText, ReloadWriter } from "./reload-writer.ts";
import {
  type DriftQuestion,
  hasFrozen,
  restartedLatelyMs,
  seenDrift,
  withDrift,
} from "./seen-drift.ts";

export interface ReloadSettings {
  readonly metrics?: ReloadMetrics | undefined;
  readonly quietTimes?: QuietTimes;
}

const WORKERS = 5;
/** How soon to look again at pods of which word is expected. Views that come wake it earlier. */
const LOOK_AGAIN_MS = 1000;
/** Who is held is woken by its views; this is the net. */
const HELD_MS = 60_000;
/** A thousand pods may report drift at once: one look is enough. */
const DRIFT_MS = 200;
const INVALID = "InvalidReloadAnnotation";
/** Warnings per target that are remembered. */
const MAX_TOLD = 50;
const UNKNOWN_SECRETS = /^secret\//;

export class ReloadController implements RunnableController {
  readonly name = "reload-controller";
  readonly #context: ControllerContext;
  readonly #sources: ReloadSources;
  readonly #writer: ReloadWriter;
  readonly #events: Events;
  readonly #metrics: ReloadMetrics;
  readonly #quiet: QuietTime;
  readonly #loop: Controller;
  /** Those that ask for something, by namespace and key. */
  readonly #asking = new Map<string, Map<string, AskingWorkload>>();
  /** What was kept last, by uid: somebody may have taken the annotation away with the rest that was not theirs. */
  readonly #kept = new Map<string, ReloadState>();
  /** What a target was told, by key: once is enough. Of changes until they are dealt with. */
  readonly #toldProblems = new Map<string, Set<string>>();
  readonly #toldChanges = new Map<string, Set<string>>();

  constructor(context: ControllerContext, settings: ReloadSettings = {}) {
    const { eventsOf, clock, random, logger } = context;
    this.#context = context;
    this.#sources = new ReloadSources(context);
    this.#writer = new ReloadWriter(context);
    this.#events = eventsOf(this.name);
    this.#metrics = settings.metrics ?? noReloadMetrics;
    this.#quiet = new QuietTime(settings.quietTimes ?? QUIET_TIMES, clock);
    this.#loop = new Controller({
      ...{ name: this.name, workers: WORKERS, clock, random, logger, loops: context.loops },
      synced: () => this.#sources.synced(),
      sync: (key, signal) => this.#sync(key, signal),
    });
    this.#listen();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#sources.run(signal), this.#loop.run(signal)]);
  }

  #listen(): void {
    for (const kind of WORKLOADS) {
      this.#sources.workloads.get(kind.kind)?.onChange(({ type, object }) => {
        this.#targetChanged(targetKey(kind, object), type, workloadTarget(kind, object));
      });
    }
    this.#sources.pods.onChange((change) => this.#podChanged(change));
    this.#sources.digests.ConfigMap.onChange((change) => this.#objectChanged(change));
    this.#sources.digests.Secret.onChange((change) => this.#objectChanged(change));
    this.#sources.views.onChange(({ object }) => {
      const { namespace = "", name = "" } = object.metadata;
      const pod = this.#sources.pods.get(`${namespace}/${name}`);
      const key = pod && this.#sources.keyOfPod(pod);
      if (key === undefined) return;
      const isDrift = this.#asking.get(namespace)?.has(key) === true && hasFrozen(object);
      if (this.#quiet.isOpen(key)) this.#loop.queue.add(key);
      else if (isDrift) this.#loop.queue.addAfter(key, DRIFT_MS);
    });
  }

  #targetChanged(key: string, type: Change<PodObject>["type"], target: ReloadTarget): void {
    const { namespace = "", uid = "" } = target.object.metadata;
    const inNamespace = this.#asking.get(namespace) ?? new Map<string, AskingWorkload>();
    const asking = new AskingWorkload(target);
    if (type !== "deleted" && asking.rules.asksForSomething) inNamespace.set(key, asking);
    else inNamespace.delete(key);
    if (inNamespace.size > 0) this.#asking.set(namespace, inNamespace);
    else this.#asking.delete(namespace);
    if (type === "deleted") this.#kept.delete(uid);
    this.#loop.queue.add(key);
  }

  #podChanged(change: Change<PodObject>): void {
    const { object: pod, type } = change;
    const key = this.#sources.keyOfPod(pod);
    if (key === undefined) return;
    const isSame =
      type === "updated" &&
      JSON.stringify(change.old.metadata.annotations) === JSON.stringify(pod.metadata.annotations);
    if (key === targetKey(POD, pod)) {
      if (!isSame) this.#targetChanged(key, type, podTarget(pod));
    } else if (this.#quiet.isOpen(key) || (!isSame && this.#concerns(key, pod))) {
      this.#loop.queue.add(key);
    }
  }

  /** Pods of workloads that ask for nothing are many, and nobody's here. */
  #concerns(key: string, { metadata: { namespace = "", annotations } }: PodObject): boolean {
    const isAsking = this.#asking.get(namespace)?.has(key) === true;
    return isAsking || annotations?.[INHERITED] !== undefined;
  }

  #objectChanged(change: Change<ConfigDigest>): void {
    const { object, type } = change;
    if (type === "updated" && isSameDigest(change.old, object)) return;
    for (const [key, asking] of this.#asking.get(object.metadata.namespace ?? "") ?? []) {
      if (asking.cares(object)) this.#loop.queue.add(key);
    }
  }

  async #sync(key: string, signal: AbortSignal): Promise<number | undefined> {
    const target = this.#sources.target(key);
    if (target === undefined || target.object.metadata.deletionTimestamp) {
      this.#close(key);
      this.#toldProblems.delete(key);
      return undefined;
    }
    const asking = new AskingWorkload(target);
    const againMs = await this.#reload(key, { target, asking }, signal);
    if (target.kind !== POD) {
      await this.#writer.inherit(target.annotations, this.#sources.podsOf(target), signal);
    }
    return againMs;
  }

  async #reload(
    key: string,
    { target, asking }: { readonly target: ReloadTarget; readonly asking: AskingWorkload },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { rules } = asking;
    this.#tellProblems(target, rules.problems);
    const pauseMs = this.#pauseLeftMs(target, rules.pauseMs);
    if (pauseMs === 0) {
      await this.#writer.resume(target, signal);
      return 0;
    }
    if (!rules.asksForSomething) {
      this.#close(key);
      this.#kept.delete(target.object.metadata.uid ?? "");
      if (target.annotations[BASELINE] !== undefined) {
        await this.#writer.keepBaseline(target, null, signal);
      }
      return pauseMs;
    }
    const againMs = await this.#compare(key, { target, asking }, signal);
    return Math.min(againMs ?? Infinity, pauseMs ?? Infinity) === Infinity
      ? undefined
      : Math.min(againMs ?? Infinity, pauseMs ?? Infinity);
  }

  async #compare(
    key: string,
    { target, asking }: { readonly target: ReloadTarget; readonly asking: AskingWorkload },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { namespace = "", uid = "" } = target.object.metadata;
    const digests = this.#sources.digestsIn(namespace);
    const recorded = parseState(target.annotations[BASELINE]) ?? this.#kept.get(uid);
    const isUnknown = (object: string): boolean =>
      UNKNOWN_SECRETS.test(object) && !digests.isReadable("Secret");
    const known = difference(recorded, asking.wanted(digests), isUnknown);
    const { due, tooEarlyMs } = this.#drift({ target, asking, digests }, recorded);
    const found = { ...known, changes: withDrift(known.changes, due) };
    if (recorded !== undefined) this.#kept.set(uid, recorded);
    if (found.changes.length === 0) {
      this.#close(key);
      await this.#keep(target, found.next, signal);
      return tooEarlyMs;
    }
    const waitMs = this.#quiet.look(key, JSON.stringify([found.changes, stateText(found.next)]));
    this.#metrics.pending(this.#quiet.size);
    if (waitMs > 0) return waitMs;
    return this.#act(key, { target, asking, found }, signal);
  }

  /** None while nobody has looked at the newest template: whose pods are whose is not known. */
  #drift(
    of: Omit<DriftQuestion, "pods" | "viewOf">,
    recorded: ReloadState | undefined,
  ): { readonly due: readonly ObjectChange[]; readonly tooEarlyMs: number | undefined } {
    if (of.target.kind === POD) return { due: [], tooEarlyMs: undefined };
    const pods = this.#sources.currentPodsOf(of.target) ?? [];
    const viewOf = (pod: PodObject): ViewObject | undefined => this.#sources.viewOf(pod);
    const all = seenDrift({ ...of, pods, viewOf });
    const isFirst = (change: ObjectChange): boolean => recorded?.[objectName(change)] === undefined;
    const leftMs = restartedLatelyMs(of.target, this.#context.clock.now());
    if (leftMs === 0 || all.every(isFirst)) return { due: all, tooEarlyMs: undefined };
    return { due: all.filter(isFirst), tooEarlyMs: leftMs };
  }

  async #act(
    key: string,
    decision: {
      readonly target: ReloadTarget;
      readonly asking: AskingWorkload;
      readonly found: StateDifference;
    },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { target, found } = decision;
    const standing = this.#standing(decision);
    const patienceMs = this.#quiet.patienceMs(key);
    if (standing === "held") {
      const message = `${changesText(found.changes)}: the nodes hold it back, so a restart would bring the old content`;
      if (this.#tell(target, "ConfigReloadHeld", message)) this.#metrics.restart("held");
      return HELD_MS;
    }
    if (standing === "coming" && patienceMs > 0) return Math.min(patienceMs, LOOK_AGAIN_MS);
    if (standing === "has") {
      await this.#keep(target, found.next, signal);
      this.#metrics.restart("current");
    } else if (target.kind === POD) {
      await this.#keep(target, found.next, signal);
      this.#tell(
        target,
        "ConfigReloadImpossible",
        `${changesText(found.changes)}: nothing would make this pod anew, so it is not restarted; delete it and create it again`,
      );
      this.#metrics.restart("impossible");
    } else {
      await this.#restart(decision, signal);
    }
    this.#close(key);
    return undefined;
  }

  async #restart(
    {
      target,
      asking,
      found,
    }: {
      readonly target: ReloadTarget;
      readonly asking: AskingWorkload;
      readonly found: StateDifference;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const text = changesText(found.changes);
    const { pauseMs } = asking.rules;
    try {
      await this.#writer.restart(target, found, { pauseMs, signal });
    } catch (err) {
      if (!signal.aborted && !(err instanceof StatusError && err.code === 409)) {
        this.#metrics.restart("failed");
        this.#tell(
          target,
          "ConfigReloadFailed",
          `${text}, but the restart failed and is tried again: ${describe(err)}`,
        );
      }
      throw err;
    }
    this.#kept.set(target.object.metadata.uid ?? "", found.next);
    this.#metrics.restart("restarted");
    const { paused = false } = (target.object as WorkloadObject).spec;
    const isPaused = paused || (pauseMs !== undefined && target.kind.kind === "Deployment");
    const when = isPaused ? "restarting when the rollout is no longer paused" : "restarting";
    this.#context.logger.info("workload restarted", {
      key: targetKey(target.kind, target.object),
      text,
    });
    const object = referenceTo(target.kind, target.object);
    this.#events.record({
      object,
      type: "Normal",
      reason: "ConfigReload",
      message: `${text}: ${when}`,
    });
  }

  /** Of all pods that the newest template made, and all objects that changed. */
  #standing({
    target,
    asking,
    found,
  }: {
    readonly target: ReloadTarget;
    readonly asking: AskingWorkload;
    readonly found: StateDifference;
  }): Standing {
    const pods = this.#sources.currentPodsOf(target);
    if (pods === undefined) return "coming";
    const digests = this.#sources.digestsIn(target.object.metadata.namespace ?? "");
    const standings = found.changes.flatMap((change) => {
      const uses = asking.restartUses(change, digests);
      const version = digests.get(change.kind, change.name)?.version ?? "";
      return pods.map((pod) => {
        const view = this.#sources.viewOf(pod);
        const standing = podStanding({
          pod,
          view,
          uses,
          version,
          nowMs: this.#context.clock.now(),
        });
        return standing === "coming" && !this.#sources.hasViews ? "lacks" : standing;
      });
    });
    return worst(standings);
  }

  async #keep(target: ReloadTarget, state: ReloadState, signal: AbortSignal): Promise<void> {
    const text = stateText(state);
    if (target.annotations[BASELINE] !== text) {
      await this.#writer.keepBaseline(target, text, signal);
    }
    this.#kept.set(target.object.metadata.uid ?? "", state);
  }

  #close(key: string): void {
    this.#quiet.close(key);
    this.#toldChanges.delete(key);
    this.#metrics.pending(this.#quiet.size);
  }

  #pauseLeftMs({ kind, object }: ReloadTarget, pauseMs: number | undefined): number | undefined {
    if (kind.kind !== "Deployment") return undefined;
    return pauseLeftMs(object as WorkloadObject, pauseMs, this.#context.clock.now());
  }

  #tellProblems(target: ReloadTarget, problems: readonly string[]): void {
    for (const problem of problems) this.#tell(target, INVALID, problem);
  }

  /** True if it was news. */
  #tell(target: ReloadTarget, reason: string, message: string): boolean {
    const told = reason === INVALID ? this.#toldProblems : this.#toldChanges;
    const key = targetKey(target.kind, target.object);
    const before = told.get(key) ?? new Set();
    if (before.has(message)) return false;
    if (before.size >= MAX_TOLD) before.clear();
    told.set(key, before.add(message));
    const object = referenceTo(target.kind, target.object);
    this.#events.record({ object, type: "Warning", reason, message });
    return true;
  }
}

function isSameDigest(a: ConfigDigest, b: ConfigDigest): boolean {
  return (
    a.version === b.version &&
    JSON.stringify(a.metadata.annotations) === JSON.stringify(b.metadata.annotations)
  );
}
