// Rolls out Deployments: a ReplicaSet for each template that a Deployment ever had, the one with the current template growing while
// the others shrink. This file finds out which Deployments to look at; a look is a RolloutTurn.
//
// Two turns never decide on the same state: a Deployment waits until the informers show all that was written for it.

import type { Change, Informer } from "../../client/informer.ts";
import { claim } from "../../controller/claim.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import { BY_OWNER, orphansOf, ownedBy } from "../../controller/informers.ts";
import { controllerOf } from "../../controller/owner.ts";
import { ownersConcerned } from "../pods/owner-events.ts";
import { hasEnded } from "../pods/pod-condition.ts";
import { keyOfObject, POD, type PodObject } from "../pods/pod-object.ts";
import { selectorOf } from "../pods/selector-of.ts";
import {
  DEPLOYMENT,
  type DeploymentObject,
  isRecreate,
  REPLICA_SET,
  type ReplicaSetObject,
} from "./deployment-objects.ts";
import { DeploymentWriter } from "./deployment-writer.ts";
import { RolloutTurn } from "./rollout-turn.ts";

const WORKERS = 5;
/** A net: the copy may catch up without an event for the Deployment. */
const CATCH_UP_MS = 1000;

export class DeploymentController implements RunnableController {
  readonly name = "deployment-controller";
  readonly #context: ControllerContext;
  readonly #deployments: Informer<DeploymentObject>;
  readonly #replicaSets: Informer<ReplicaSetObject>;
  readonly #pods: Informer<PodObject>;
  readonly #writer: DeploymentWriter;
  readonly #loop: Controller;

  constructor(context: ControllerContext) {
    const { informers, eventsOf, clock, random, logger } = context;
    this.#context = context;
    this.#deployments = informers.of<DeploymentObject>(DEPLOYMENT);
    this.#replicaSets = informers.of<ReplicaSetObject>(REPLICA_SET);
    this.#pods = informers.of<PodObject>(POD);
    this.#writer = new DeploymentWriter({
      context,
      deployments: this.#deployments,
      replicaSets: this.#replicaSets,
      events: eventsOf(this.name),
    });
    this.#loop = new Controller({
      name: this.name,
      workers: WORKERS,
      synced: async () => {
        const used = [this.#deployments, this.#replicaSets, this.#pods];
        await Promise.all(used.map((informer) => informer.synced));
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
    const owners = { owners: this.#deployments, ownerKind: DEPLOYMENT, selectorOf };
    this.#deployments.onChange(({ object }) => queue.add(keyOfObject(object)));
    this.#replicaSets.onChange((change) => {
      for (const key of ownersConcerned(change, owners)) queue.add(key);
    });
    this.#pods.onChange((change) => {
      const deployment = isOver(change) ? this.#deploymentOf(change.object) : undefined;
      if (deployment !== undefined && isRecreate(deployment)) queue.add(keyOfObject(deployment));
    });
  }

  async #sync(key: string, signal: AbortSignal): Promise<number | undefined> {
    const writer = this.#writer;
    const deployment = this.#deployments.get(key);
    if (deployment === undefined) {
      writer.forget(key);
      return undefined;
    }
    await writer.clearUp(deployment, signal);
    if (!writer.areSeen(key)) return CATCH_UP_MS;
    const replicaSets = await this.#claim(deployment, signal);
    if (replicaSets === undefined) return undefined;
    return new RolloutTurn({
      deployment,
      replicaSets,
      podsOf: (set) => this.#pods.byIndex(BY_OWNER, ownedBy(set.metadata)),
      writer,
      nowMs: this.#context.clock.now(),
      signal,
    }).run();
  }

  /** Undefined if it says in no sensible way which are its own. */
  async #claim(
    deployment: DeploymentObject,
    signal: AbortSignal,
  ): Promise<readonly ReplicaSetObject[] | undefined> {
    const selector = selectorOf(deployment);
    if (selector === undefined) return undefined;
    if (selector.isEmpty) {
      const message = "This deployment is selecting all pods. A non-empty selector is required.";
      this.#writer.record(deployment, { type: "Warning", reason: "SelectingAll", message });
      return undefined;
    }
    const { namespace = "", name = "" } = deployment.metadata;
    const candidates = [
      ...this.#replicaSets.byIndex(BY_OWNER, ownedBy(deployment.metadata)),
      ...this.#replicaSets.byIndex(BY_OWNER, orphansOf(namespace)),
    ];
    const claimed = await claim({
      owner: deployment,
      ownerKind: DEPLOYMENT,
      selector,
      candidates,
      children: this.#writer.replicaSets,
      freshOwner: () => this.#writer.deployments.get({ namespace, name }, { signal }),
      signal,
    });
    for (const set of claimed) this.#writer.has(deployment, set);
    return claimed;
  }

  #deploymentOf(pod: PodObject): DeploymentObject | undefined {
    const { namespace = "" } = pod.metadata;
    const ownSet = controllerOf(pod);
    const set = ownSet && this.#replicaSets.get(`${namespace}/${ownSet.name}`);
    const owner = set && set.metadata.uid === ownSet.uid ? controllerOf(set) : undefined;
    const deployment = owner && this.#deployments.get(`${namespace}/${owner.name}`);
    return deployment?.metadata.uid === owner?.uid ? deployment : undefined;
  }
}

/** The pod has gone or has ended: others may have waited for that. */
function isOver(change: Change<PodObject>): boolean {
  if (change.type !== "updated") return change.type === "deleted";
  return hasEnded(change.object) && !hasEnded(change.old);
}
