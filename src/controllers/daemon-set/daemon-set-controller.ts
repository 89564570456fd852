// Keeps one pod of a DaemonSet on every node that it fits. Each turn of a set: its pods and revisions are found, then either pods are
// made and deleted so that each node has its one, or, where that is so already, the update to the newest revision goes a step further.
//
// Two turns never decide on the same state: a set waits until the informers show all that was written for it.

import type { LabelSelector } from "../../api/selectors/label-selector.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { Change, Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { OwnWrites } from "../../controller/own-writes.ts";
import { referenceTo } from "../../controller/owner.ts";
import { earlier } from "../pods/earlier.ts";
import { gatherMs } from "../pods/gather.ts";
import { type Failure, OwnedPods } from "../pods/owned-pods.ts";
import { ownersConcerned } from "../pods/owner-events.ts";
import { hasEnded, nextAvailableInMs } from "../pods/pod-condition.ts";
import { keyOfObject, type PodObject } from "../pods/pod-object.ts";
import { sameStatus } from "../pods/same-status.ts";
import { selectorOf } from "../pods/selector-of.ts";
import { daemonTemplate } from "./daemon-pod.ts";
import { podsByNode } from "./daemon-pods.ts";
import { DAEMON_SET, type DaemonSetObject, NODE, type NodeObject } from "./daemon-set-object.ts";
import { daemonSetStatus } from "./daemon-set-status.ts";
import { FailedPodsBackoff } from "./failed-pods-backoff.ts";
import { type EndedPod, type ManageDecision, type ManageFacts, manage } from "./manage.ts";
import { placementOf } from "./placement.ts";
import { hashOf } from "./revision-data.ts";
import { RevisionHistory } from "./revision-history.ts";
import { rollingUpdate, type UpdateStep } from "./rolling-update.ts";

const WORKERS = 2;
/** At most so many pods are made, and so many deleted, in one turn. */
const BURST = 250;
/** A net: a copy may catch up without an event for the set. */
const CATCH_UP_MS = 1000;

interface Outcome {
  readonly failure?: Failure | undefined;
  /** When a pod that failed may be replaced. */
  readonly againMs?: number | undefined;
}

export class DaemonSetController implements RunnableController {
  readonly name = "daemonset-controller";
  readonly #context: ControllerContext;
  readonly #events: Events;
  readonly #sets: Informer<DaemonSetObject>;
  readonly #nodes: Informer<NodeObject>;
  readonly #client: ResourceClient<DaemonSetObject>;
  readonly #ownStatus: OwnWrites;
  readonly #pods: OwnedPods;
  readonly #history: RevisionHistory;
  readonly #backoff: FailedPodsBackoff;
  readonly #loop: Controller;

  constructor(context: ControllerContext) {
    const { client, informers, eventsOf, clock, random, logger } = context;
    this.#context = context;
    this.#events = eventsOf(this.name);
    this.#sets = informers.of<DaemonSetObject>(DAEMON_SET);
    this.#nodes = informers.of<NodeObject>(NODE);
    this.#client = new ResourceClient<DaemonSetObject>(client, DAEMON_SET);
    this.#ownStatus = new OwnWrites({ informer: this.#sets, clock });
    this.#pods = new OwnedPods({ context, ownerKind: DAEMON_SET, events: this.#events });
    this.#history = new RevisionHistory(context, this.#pods);
    this.#backoff = new FailedPodsBackoff(clock);
    this.#loop = new Controller({
      name: this.name,
      workers: WORKERS,
      synced: async () => {
        const all = [this.#sets, this.#nodes, this.#pods.informer, this.#history.informer];
        await Promise.all(all.map(({ synced }) => synced));
      },
      sync: (key, signal) => this.#sync(key, signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    this.#follow();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #follow(): void {
    const { queue } = this.#loop;
    const owners = { owners: this.#sets, ownerKind: DAEMON_SET, selectorOf };
    this.#sets.onChange(({ object }) => queue.add(keyOfObject(object)));
    for (const children of [this.#pods.informer, this.#history.informer]) {
      children.onChange((change) => {
        for (const key of ownersConcerned(change, owners)) {
          queue.addAfter(key, gatherMs(this.#sets.get(key)?.status.desiredNumberScheduled ?? 0));
        }
      });
    }
    this.#nodes.onChange((change) => {
      if (isHeartbeat(change)) return;
      for (const set of this.#sets.list()) {
        if (changesPlacement(change, set)) queue.add(keyOfObject(set));
      }
    });
  }

  async #sync(key: string, signal: AbortSignal): Promise<number | undefined> {
    const set = this.#sets.get(key);
    if (set === undefined) {
      for (const part of [this.#pods, this.#history, this.#ownStatus]) part.forget(key);
      return undefined;
    }
    const selector = selectorOf(set);
    if (selector === undefined) return undefined;
    if (selector.isEmpty) {
      const message = "This daemon set is selecting all pods. A non-empty selector is required.";
      this.#record(set, { type: "Warning", reason: "SelectingAll", message });
      return undefined;
    }
    // Of a set that goes nobody knows what of its pods and revisions is still there: its status would be a guess.
    if (set.metadata.deletionTimestamp != null) return undefined;
    return this.#turn(set, selector, signal);
  }

  async #turn(
    set: DaemonSetObject,
    selector: LabelSelector,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const key = keyOfObject(set);
    const areSeen = await this.#pods.areSeen(set, selector, signal);
    if (!areSeen || !this.#history.areSeen(key) || !this.#ownStatus.areSeen(key)) {
      return CATCH_UP_MS;
    }
    const candidates = this.#pods.candidates(set);
    const pods = await this.#pods.claim(set, { selector, candidates }, signal);
    const of = { set, selector, pods, signal };
    const history = await this.#history.settle(of);
    if (history === undefined) return CATCH_UP_MS;
    const facts = this.#factsOf(set, pods, hashOf(history.current));
    const { failure, againMs } = await this.#converge(facts, signal);
    if (failure === undefined) await this.#history.cleanUp(history, of);
    signal.throwIfAborted();
    await this.#writeStatus(facts, signal);
    if (failure !== undefined) throw failure.error;
    return earlier(againMs, nextAvailableInMs(pods, set.spec.minReadySeconds ?? 0, facts.nowMs));
  }

  #factsOf(set: DaemonSetObject, pods: readonly PodObject[], hash: string): ManageFacts {
    // One that ended and is marked for deletion is kept by others only: nothing is to be done about it.
    const present = pods.filter(
      (pod) => !(hasEnded(pod) && pod.metadata.deletionTimestamp != null),
    );
    return {
      set,
      nodes: this.#nodes.list(),
      byNode: podsByNode(present),
      placement: placementOf(set),
      isGoing: this.#pods.isGoing,
      hash,
      nowMs: this.#context.clock.now(),
    };
  }

  async #converge(facts: ManageFacts, signal: AbortSignal): Promise<Outcome> {
    const { set } = facts;
    const decision = manage(facts);
    const { pods, againMs } = this.#endedToDelete(set, decision);
    const step = { create: decision.create, delete: [...decision.delete, ...pods] };
    if (step.create.length + step.delete.length > 0) {
      return { failure: await this.#take(step, facts, signal), againMs };
    }
    if (set.spec.updateStrategy.type !== "RollingUpdate") return { againMs };
    return { failure: await this.#take(rollingUpdate(facts), facts, signal), againMs };
  }

  async #take(
    step: UpdateStep,
    { set, hash }: ManageFacts,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const templates = step.create
      .slice(0, BURST)
      .map((nodeName) => daemonTemplate(set, { nodeName, hash }));
    const notMade = await this.#pods.create(set, templates, signal);
    const notDeleted = await this.#pods.delete(set, step.delete.slice(0, BURST), signal);
    return notMade ?? notDeleted;
  }

  /** Tells of the pods that ended. Those that failed have to wait for their turn. */
  #endedToDelete(
    set: DaemonSetObject,
    { failed, succeeded }: ManageDecision,
  ): { readonly pods: readonly PodObject[]; readonly againMs: number | undefined } {
    const pods: PodObject[] = [];
    let againMs: number | undefined;
    for (const ended of failed) {
      const { uid = "" } = set.metadata;
      const { observedGeneration = 0 } = set.status;
      const leftMs = this.#backoff.takeMs(`${uid}/${observedGeneration}/${ended.nodeName}`);
      if (leftMs > 0) {
        againMs = earlier(againMs, leftMs);
        continue;
      }
      const message = `Found failed daemon pod ${told(ended)}, will try to kill it`;
      this.#record(set, { type: "Warning", reason: "FailedDaemonPod", message });
      pods.push(ended.pod);
    }
    for (const ended of succeeded) {
      const message = `Found succeeded daemon pod ${told(ended)}, will try to delete it`;
      this.#record(set, { type: "Normal", reason: "SucceededDaemonPod", message });
      pods.push(ended.pod);
    }
    return { pods, againMs };
  }

  async #writeStatus(facts: ManageFacts, signal: AbortSignal): Promise<void> {
    const { set } = facts;
    const status = daemonSetStatus(set, facts);
    if (sameStatus(status, set.status)) return;
    const written = await this.#client.updateStatus({ ...set, status }, { signal });
    this.#ownStatus.wrote(keyOfObject(set), written);
  }

  #record(
    set: DaemonSetObject,
    event: Pick<Parameters<Events["record"]>[0], "type" | "reason" | "message">,
  ): void {
    this.#events.record({ object: referenceTo(DAEMON_SET, set), ...event });
  }
}

/** Nothing has changed that any set looks at. */
function isHeartbeat(change: Change<NodeObject>): boolean {
  if (change.type !== "updated") return false;
  const { object, old } = change;
  return (
    semanticEqual(object.metadata.labels, old.metadata.labels) &&
    semanticEqual(object.spec.taints, old.spec.taints)
  );
}

function changesPlacement(change: Change<NodeObject>, set: DaemonSetObject): boolean {
  if (change.type !== "updated") return true;
  const placement = placementOf(set);
  return !semanticEqual(placement(change.object), placement(change.old));
}

function told({ pod: { metadata }, nodeName }: EndedPod): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""} on node ${nodeName}`;
}
