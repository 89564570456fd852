// Keeps as many pods of a template as a ReplicaSet says. Each turn of a set: its pods are found (orphans adopted, strangers let go),
// those that are missing are made and those too many deleted, and the status is written if it says something new.
//
// Two turns never decide on the same state: a set waits until the informers show all that was written for it.

import type { ApiObject } from "../../api/object.ts";
import type { LabelSelector } from "../../api/selectors/label-selector.ts";
import type { ReplicaSet } from "../../api/types.ts";
import { describe } from "../../base/errors.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import { BY_OWNER, ownedBy } from "../../controller/informers.ts";
import { OwnWrites } from "../../controller/own-writes.ts";
import { controllerOf, isControlledBy } from "../../controller/owner.ts";
import { inDeletionOrder, rankByNode } from "../pods/deletion-order.ts";
import { earlier } from "../pods/earlier.ts";
import { gatherMs } from "../pods/gather.ts";
import { type Failure, OwnedPods } from "../pods/owned-pods.ts";
import { ownersConcerned } from "../pods/owner-events.ts";
import { hasEnded, nextAvailableInMs } from "../pods/pod-condition.ts";
import { keyOfObject, type PodObject, servedKind } from "../pods/pod-object.ts";
import { sameStatus } from "../pods/same-status.ts";
import { selectorOf } from "../pods/selector-of.ts";
import { replacements } from "./replacements.ts";
import { replicaSetStatus, type StatusFacts, wantedReplicas } from "./replica-set-status.ts";

type ReplicaSetObject = ReplicaSet & ApiObject;

const REPLICA_SET = servedKind("apps/v1", "ReplicaSet");
const WORKERS = 5;
/** At most so many pods are made or deleted in one turn. */
const BURST = 500;
/** A net: the copy may catch up without an event for the set. */
const CATCH_UP_MS = 1000;

export class ReplicaSetController implements RunnableController {
  readonly name = "replicaset-controller";
  readonly #context: ControllerContext;
  readonly #sets: Informer<ReplicaSetObject>;
  readonly #client: ResourceClient<ReplicaSetObject>;
  readonly #ownStatus: OwnWrites;
  readonly #pods: OwnedPods;
  readonly #loop: Controller;

  constructor(context: ControllerContext) {
    const { client, informers, eventsOf, clock, random, logger } = context;
    this.#context = context;
    this.#sets = informers.of<ReplicaSetObject>(REPLICA_SET);
    this.#client = new ResourceClient<ReplicaSetObject>(client, REPLICA_SET);
    this.#ownStatus = new OwnWrites({ informer: this.#sets, clock });
    this.#pods = new OwnedPods({ context, ownerKind: REPLICA_SET, events: eventsOf(this.name) });
    this.#loop = new Controller({
      name: this.name,
      workers: WORKERS,
      synced: async () => {
        await Promise.all([this.#sets.synced, this.#pods.informer.synced]);
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
    const owners = { owners: this.#sets, ownerKind: REPLICA_SET, selectorOf };
    this.#sets.onChange(({ object }) => queue.add(keyOfObject(object)));
    this.#pods.informer.onChange((change) => {
      for (const key of ownersConcerned(change, owners)) {
        queue.addAfter(key, gatherMs(this.#sets.get(key)?.status.replicas ?? 0));
      }
    });
  }

  async #sync(key: string, signal: AbortSignal): Promise<number | undefined> {
    const set = this.#sets.get(key);
    if (set === undefined) {
      this.#pods.forget(key);
      this.#ownStatus.forget(key);
      return undefined;
    }
    const selector = selectorOf(set);
    if (selector === undefined) return undefined;
    const areSeen = await this.#pods.areSeen(set, selector, signal);
    if (!areSeen || !this.#ownStatus.areSeen(key)) return CATCH_UP_MS;
    return this.#turn(set, selector, signal);
  }

  async #turn(
    set: ReplicaSetObject,
    selector: LabelSelector,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { clock } = this.#context;
    const candidates = this.#pods.candidates(set);
    const active = await this.#pods.claim(
      set,
      { selector, candidates: candidates.filter((pod) => this.#isActive(pod)) },
      signal,
    );
    const terminating = candidates.filter(
      (pod) =>
        isTerminating(pod) && isControlledBy(pod, set) && selector.matches(pod.metadata.labels),
    );
    const ended = candidates.filter((pod) => hasEnded(pod) && isControlledBy(pod, set));
    const wanted = wantedReplicas(set);
    const { allowed, moreInMs } = replacements(wanted, { ended, nowMs: clock.now() });
    const failure = await this.#manage(set, { active, allowed }, signal);
    signal.throwIfAborted();
    const nowMs = clock.now();
    const text = failure && describe(failure.error);
    await this.#writeStatus(set, { active, terminating, failure: text, nowMs }, signal);
    if (failure !== undefined) throw failure.error;
    const isHeldBack = wanted - active.length > allowed;
    const availableInMs = nextAvailableInMs(active, set.spec.minReadySeconds ?? 0, nowMs);
    return earlier(availableInMs, isHeldBack ? moreInMs : undefined);
  }

  async #manage(
    set: ReplicaSetObject,
    { active, allowed }: { readonly active: readonly PodObject[]; readonly allowed: number },
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    if (set.metadata.deletionTimestamp != null) return undefined;
    const missing = wantedReplicas(set) - active.length;
    if (missing > 0) {
      const { template } = set.spec;
      const length = Math.min(missing, allowed, BURST);
      const templates = Array.from({ length }, () => template);
      return this.#pods.create(set, templates, signal);
    }
    if (missing === 0) return undefined;
    const ordered = inDeletionOrder(active, {
      rank: rankByNode(this.#related(set)),
      nowMs: this.#context.clock.now(),
    });
    return this.#pods.delete(set, ordered.slice(0, Math.min(-missing, BURST)), signal);
  }

  /** Active pods of all sets of the same Deployment: where many of them are, one is missed least. */
  #related(set: ReplicaSetObject): readonly PodObject[] {
    const owner = controllerOf(set);
    if (owner === undefined) return [];
    const { namespace } = set.metadata;
    return this.#sets
      .byIndex(BY_OWNER, ownedBy({ namespace, uid: owner.uid }))
      .flatMap(({ metadata }) => this.#pods.informer.byIndex(BY_OWNER, ownedBy(metadata)))
      .filter((pod) => this.#isActive(pod));
  }

  async #writeStatus(
    set: ReplicaSetObject,
    facts: StatusFacts,
    signal: AbortSignal,
  ): Promise<void> {
    const status = replicaSetStatus(set, facts);
    if (sameStatus(status, set.status)) return;
    const written = await this.#client.updateStatus({ ...set, status }, { signal });
    this.#ownStatus.wrote(keyOfObject(set), written);
  }

  #isActive(pod: PodObject): boolean {
    return !hasEnded(pod) && !this.#pods.isGoing(pod);
  }
}

/** It is marked for deletion and its containers still run. */
function isTerminating(pod: PodObject): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp != null;
}
