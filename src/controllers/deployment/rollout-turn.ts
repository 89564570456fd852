// One look at one Deployment: what it should do next is decided by the pure parts beside this file, and done here. The order:
//   1. the current ReplicaSet, if there is one, gets its revision and annotations;
//   2. if the user has scaled or paused: every ReplicaSet gets its share, and nothing else moves;
//   3. otherwise one step of the rollout is made: up, or if there is no room, down;
//   4. the status is written, once, with all that was found on the way.
// Each step shows up in the informers and brings the next look.

import { isAlreadyExists } from "../../api/status-error.ts";
import type { DeploymentStatus } from "../../api/types.ts";
import { describe } from "../../base/errors.ts";
import { controllerOf, isControlledBy } from "../../controller/owner.ts";
import { isNamespaceTerminating } from "../pods/pod-control.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { sameStatus } from "../pods/same-status.ts";
import { selectorOf } from "../pods/selector-of.ts";
import {
  conditionAt,
  conditionOf,
  type Finding,
  PAUSED,
  TIMED_OUT,
  withCondition,
} from "./deployment-conditions.ts";
import { type DeploymentObject, isRecreate, type ReplicaSetObject } from "./deployment-objects.ts";
import { isComplete, observedStatus } from "./deployment-status.ts";
import type { DeploymentWriter } from "./deployment-writer.ts";
import { newReplicaSet } from "./new-replica-set.ts";
import { isScaled, scaledSizes } from "./proportional-scaling.ts";
import { allOldToZero, areRunning } from "./recreate.ts";
import {
  allOf,
  isSameTemplate,
  type ReplicaSets,
  type Scaling,
  sizeOf,
  sortReplicaSets,
} from "./replica-sets.ts";
import { forgottenSets } from "./revision-cleanup.ts";
import { currentAnnotations, nextRevision, REVISION, sizeAnnotations } from "./revisions.ts";
import { nextCurrentSize, nextOldSizes } from "./rolling-update.ts";
import { deadlineMs, progressCheckMs, rolloutStatus } from "./rollout-progress.ts";

export interface RolloutTurnOptions {
  readonly deployment: DeploymentObject;
  /** All that are its own. */
  readonly replicaSets: readonly ReplicaSetObject[];
  readonly podsOf: (set: ReplicaSetObject) => readonly PodObject[];
  readonly writer: DeploymentWriter;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** For one turn only: it holds what was seen when it began, and what it has changed. */
export class RolloutTurn {
  readonly #options: RolloutTurnOptions;
  /** As it was seen, with the revision and the conditions that are to be written. */
  #deployment: DeploymentObject;
  #sets: ReplicaSets;

  constructor(options: RolloutTurnOptions) {
    const { deployment, replicaSets } = options;
    this.#options = options;
    this.#deployment = deployment;
    this.#sets = sortReplicaSets(deployment, replicaSets);
  }

  /** In how many milliseconds to look again although nothing changes. */
  async run(): Promise<number | undefined> {
    const { metadata, spec } = this.#options.deployment;
    const isGoing = metadata.deletionTimestamp != null;
    if (!isGoing) this.#notePause();
    await this.#keepCurrent();
    if (!isGoing && (spec.paused === true || this.#isScaled())) {
      for (const scaling of this.#shares()) await this.#scale(scaling);
      if (spec.paused === true) await this.#cleanUp();
    } else if (!isGoing) {
      return this.#rollOut();
    }
    await this.#writeStatus(observedStatus(this.#deployment, this.#sets, this.#options.nowMs));
    return undefined;
  }

  async #rollOut(): Promise<number | undefined> {
    const isMade = isRecreate(this.#deployment) ? await this.#recreate() : await this.#roll();
    // There is no ReplicaSet to go on with: its name is taken, it is about to be adopted, or its namespace goes.
    if (!isMade) return undefined;
    const { nowMs } = this.#options;
    const status = rolloutStatus(this.#deployment, this.#sets, nowMs);
    await this.#writeStatus(status);
    return progressCheckMs(this.#deployment, status, nowMs);
  }

  async #roll(): Promise<boolean> {
    const current = await this.#current();
    if (current === undefined) return false;
    const size = nextCurrentSize(this.#deployment, this.#sets);
    if (size !== sizeOf(current)) {
      await this.#scale({ replicaSet: current, replicas: size });
      return true;
    }
    const scalings = nextOldSizes(this.#deployment, current, this.#sets.old);
    for (const scaling of scalings) await this.#scale(scaling);
    if (scalings.length === 0) await this.#cleanUpIfComplete();
    return true;
  }

  async #recreate(): Promise<boolean> {
    const scalings = allOldToZero(this.#sets);
    for (const scaling of scalings) await this.#scale(scaling);
    if (scalings.length > 0 || areRunning(this.#sets.old, this.#options.podsOf)) return true;
    const current = await this.#current();
    if (current === undefined) return false;
    const size = nextCurrentSize(this.#deployment, this.#sets);
    if (size !== sizeOf(current)) await this.#scale({ replicaSet: current, replicas: size });
    await this.#cleanUpIfComplete();
    return true;
  }

  /** A Recreate that is paused starts nothing either while pods of another template run. */
  #shares(): readonly Scaling[] {
    const scalings = scaledSizes(this.#deployment, this.#sets);
    if (!isRecreate(this.#deployment)) return scalings;
    return scalings.filter(({ replicaSet, replicas }) => {
      const others = allOf(this.#sets).filter((set) => set !== replicaSet);
      return replicas <= sizeOf(replicaSet) || !areRunning(others, this.#options.podsOf);
    });
  }

  /** Recreate knows no shares: the old get nothing, and the current one all. */
  #isScaled(): boolean {
    return !isRecreate(this.#deployment) && isScaled(this.#deployment, this.#sets);
  }

  /** The current ReplicaSet; it is made if there is none. Undefined if it cannot be. */
  async #current(): Promise<ReplicaSetObject | undefined> {
    const { writer, signal } = this.#options;
    if (this.#sets.current !== undefined) return this.#sets.current;
    const wanted = newReplicaSet(this.#deployment, this.#sets.old);
    let made: ReplicaSetObject | undefined;
    try {
      made = await writer.createSet(this.#deployment, wanted, signal);
      this.#noteCreated(made);
    } catch (err) {
      if (isNamespaceTerminating(err)) return undefined;
      if (!isAlreadyExists(err)) await this.#noteFailed(wanted, err);
      made = await this.#existing(wanted);
      if (made === undefined) return undefined;
    }
    this.#replace(made);
    this.#noteRevision(made);
    return made;
  }

  /** The one that has its name. If that is another's, the next turn takes another name. */
  async #existing({ metadata }: ReplicaSetObject): Promise<ReplicaSetObject | undefined> {
    const { writer, signal } = this.#options;
    const { namespace, name = "" } = metadata;
    const found = await writer.replicaSets.get({ namespace, name }, { signal });
    const { spec, status } = this.#deployment;
    const isOurs = isControlledBy(found, this.#deployment);
    if (isOurs && isSameTemplate(found.spec.template, spec.template)) {
      writer.has(this.#deployment, found);
      return found;
    }
    // Nobody's any more, which the informer does not show yet: its event brings the turn that takes it over, with its pods.
    if (isFreeFor(this.#deployment, found)) return undefined;
    await this.#writeStatus({ ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
    return undefined;
  }

  #noteCreated(made: ReplicaSetObject): void {
    const { name } = made.metadata;
    const size = sizeOf(made);
    if (size > 0) this.#recordScaling(`Scaled up replica set ${name} from 0 to ${size}`);
    this.#noteProgress("True", "NewReplicaSetCreated", `Created new replica set "${name}"`);
  }

  /** Always throws. */
  async #noteFailed({ metadata }: ReplicaSetObject, err: unknown): Promise<never> {
    const reason = "ReplicaSetCreateError";
    const message = `Failed to create new replica set "${metadata.name}": ${describe(err)}`;
    this.#options.writer.record(this.#deployment, { type: "Warning", reason, message });
    this.#noteProgress("False", reason, message);
    // That it could not be made matters more; the status is written when it is tried again.
    await this.#writeStatus(this.#deployment.status).catch(() => undefined);
    throw err;
  }

  /** Brings the annotations and the readiness time of the current ReplicaSet in line with the Deployment. */
  async #keepCurrent(): Promise<void> {
    const { current, old } = this.#sets;
    if (current === undefined) return;
    const { writer, signal } = this.#options;
    const { minReadySeconds } = this.#deployment.spec;
    const annotations = currentAnnotations(this.#deployment, current, nextRevision(old));
    const isReadyTimeKept = (current.spec.minReadySeconds ?? 0) === (minReadySeconds ?? 0);
    let kept = current;
    if (annotations !== current.metadata.annotations || !isReadyTimeKept) {
      const metadata = { ...current.metadata, annotations };
      const changed = { ...current, metadata, spec: { ...current.spec, minReadySeconds } };
      kept = await writer.updateSet(this.#deployment, changed, signal);
      this.#replace(kept);
    }
    this.#noteRevision(kept);
    if (conditionOf(this.#deployment.status.conditions, "Progressing") === undefined) {
      const message = `Found new replica set "${kept.metadata.name}"`;
      this.#noteProgress("True", "FoundNewReplicaSet", message);
    }
  }

  /** The time of a pause does not count as time without progress. */
  #notePause(): void {
    const { spec, status } = this.#deployment;
    const held = conditionOf(status.conditions, "Progressing")?.reason;
    if (held === TIMED_OUT) return;
    if (spec.paused === true && held !== PAUSED) {
      this.#noteProgress("Unknown", PAUSED, "Deployment is paused");
    } else if (spec.paused !== true && held === PAUSED) {
      this.#noteProgress("Unknown", "DeploymentResumed", "Deployment is resumed");
    }
  }

  #noteProgress(ok: Finding["status"], reason: string, message: string): void {
    if (deadlineMs(this.#deployment) === undefined) return;
    const { status } = this.#deployment;
    const finding: Finding = { type: "Progressing", status: ok, reason, message };
    const condition = conditionAt(finding, this.#options.nowMs);
    const conditions = withCondition(status.conditions ?? [], condition);
    this.#deployment = { ...this.#deployment, status: { ...status, conditions } };
  }

  #noteRevision(current: ReplicaSetObject): void {
    const { metadata } = this.#deployment;
    const revision = current.metadata.annotations?.[REVISION];
    if (revision === undefined || metadata.annotations?.[REVISION] === revision) return;
    const annotations = { ...metadata.annotations, [REVISION]: revision };
    this.#deployment = { ...this.#deployment, metadata: { ...metadata, annotations } };
  }

  async #scale({ replicaSet, replicas }: Scaling): Promise<void> {
    const { writer, signal } = this.#options;
    const sizes = sizeAnnotations(this.#deployment);
    const { annotations = {} } = replicaSet.metadata;
    const before = sizeOf(replicaSet);
    const isAnnotated = Object.entries(sizes).every(([key, value]) => annotations[key] === value);
    if (before === replicas && isAnnotated) return;
    const metadata = { ...replicaSet.metadata, annotations: { ...annotations, ...sizes } };
    const changed = { ...replicaSet, metadata, spec: { ...replicaSet.spec, replicas } };
    const written = await writer.updateSet(this.#deployment, changed, signal);
    this.#replace(written);
    if (before === replicas) return;
    const direction = before < replicas ? "up" : "down";
    const { name } = written.metadata;
    this.#recordScaling(`Scaled ${direction} replica set ${name} from ${before} to ${replicas}`);
  }

  #recordScaling(message: string): void {
    const event = { type: "Normal", reason: "ScalingReplicaSet", message } as const;
    this.#options.writer.record(this.#deployment, event);
  }

  async #cleanUpIfComplete(): Promise<void> {
    if (isComplete(this.#deployment, this.#deployment.status)) await this.#cleanUp();
  }

  async #cleanUp(): Promise<void> {
    const { writer, signal } = this.#options;
    const alive = this.#sets.old.filter(({ metadata }) => metadata.deletionTimestamp == null);
    for (const set of forgottenSets(this.#deployment, alive)) await writer.deleteSet(set, signal);
  }

  #replace(set: ReplicaSetObject): void {
    const others = allOf(this.#sets).filter(({ metadata }) => metadata.uid !== set.metadata.uid);
    this.#sets = sortReplicaSets(this.#deployment, [...others, set]);
  }

  async #writeStatus(status: DeploymentStatus): Promise<void> {
    const { deployment: seen, writer, signal } = this.#options;
    const isNumbered = seen.metadata.annotations === this.#deployment.metadata.annotations;
    if (isNumbered && sameStatus(status, seen.status)) return;
    await writer.updateStatus({ ...this.#deployment, status }, signal);
  }
}

/** As it would be made, and for whoever selects it. */
function isFreeFor(deployment: DeploymentObject, found: ReplicaSetObject): boolean {
  const { labels, deletionTimestamp } = found.metadata;
  return (
    controllerOf(found) === undefined &&
    deletionTimestamp == null &&
    selectorOf(deployment)?.matches(labels) === true &&
    isSameTemplate(found.spec.template, deployment.spec.template)
  );
}
