// All that is written for Deployments: their ReplicaSets, their status, and events. Remembers what the informers do not show yet, and
// what nobody knows yet: a write whose answer was lost may have been made, and the next turn must not decide as if it had not.

import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { OwnWrites } from "../../controller/own-writes.ts";
import { referenceTo } from "../../controller/owner.ts";
import { keyOfObject } from "../pods/pod-object.ts";
import {
  DEPLOYMENT,
  type DeploymentObject,
  REPLICA_SET,
  type ReplicaSetObject,
} from "./deployment-objects.ts";

export interface DeploymentWriterOptions {
  readonly context: ControllerContext;
  readonly deployments: Informer<DeploymentObject>;
  readonly replicaSets: Informer<ReplicaSetObject>;
  readonly events: Events;
}

export class DeploymentWriter {
  readonly deployments: ResourceClient<DeploymentObject>;
  readonly replicaSets: ResourceClient<ReplicaSetObject>;
  readonly #events: Events;
  readonly #ownStatus: OwnWrites;
  readonly #ownSets: OwnWrites;
  /** Names of ReplicaSets whose last write was not answered, by the key of their Deployment. */
  readonly #unanswered = new Map<string, Set<string>>();

  constructor({ context, deployments, replicaSets, events }: DeploymentWriterOptions) {
    const { client, clock } = context;
    this.deployments = new ResourceClient<DeploymentObject>(client, DEPLOYMENT);
    this.replicaSets = new ResourceClient<ReplicaSetObject>(client, REPLICA_SET);
    this.#events = events;
    this.#ownStatus = new OwnWrites({ informer: deployments, clock });
    this.#ownSets = new OwnWrites({ informer: replicaSets, clock });
  }

  /** Whether the informers show all that was written for this Deployment. */
  areSeen(key: string): boolean {
    return this.#ownStatus.areSeen(key) && this.#ownSets.areSeen(key);
  }

  /** Asks the server about writes that it did not answer: `areSeen` counts them from then on. */
  async clearUp(deployment: DeploymentObject, signal: AbortSignal): Promise<void> {
    const key = keyOfObject(deployment);
    const { namespace } = deployment.metadata;
    const names = this.#unanswered.get(key) ?? new Set<string>();
    for (const name of names) {
      try {
        this.has(deployment, await this.replicaSets.get({ namespace, name }, { signal }));
      } catch (err) {
        if (!isNotFound(err)) throw err;
      }
      names.delete(name);
    }
    this.#unanswered.delete(key);
  }

  forget(key: string): void {
    this.#ownStatus.forget(key);
    this.#ownSets.forget(key);
    this.#unanswered.delete(key);
  }

  /** The server has this version of a ReplicaSet of the Deployment. */
  has(deployment: DeploymentObject, set: ReplicaSetObject): void {
    this.#ownSets.wrote(keyOfObject(deployment), set);
  }

  async createSet(
    deployment: DeploymentObject,
    set: ReplicaSetObject,
    signal: AbortSignal,
  ): Promise<ReplicaSetObject> {
    return this.#write(deployment, set, () => this.replicaSets.create(set, { signal }));
  }

  /** Refused if anything in it has changed since: what was decided on is no longer so. */
  async updateSet(
    deployment: DeploymentObject,
    set: ReplicaSetObject,
    signal: AbortSignal,
  ): Promise<ReplicaSetObject> {
    return this.#write(deployment, set, () => this.replicaSets.update(set, { signal }));
  }

  /** Refused if anything in it has changed since: somebody may have given it pods. */
  async deleteSet({ metadata }: ReplicaSetObject, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", uid = "", resourceVersion = "" } = metadata;
    try {
      const preconditions = { uid, resourceVersion };
      await this.replicaSets.delete({ namespace, name }, { preconditions, signal });
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
  }

  async updateStatus(deployment: DeploymentObject, signal: AbortSignal): Promise<void> {
    const written = await this.deployments.updateStatus(deployment, { signal });
    this.#ownStatus.wrote(keyOfObject(deployment), written);
  }

  record(
    deployment: DeploymentObject,
    event: {
      readonly type: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
    },
  ): void {
    this.#events.record({ object: referenceTo(DEPLOYMENT, deployment), ...event });
  }

  async #write(
    deployment: DeploymentObject,
    { metadata: { name = "" } }: ReplicaSetObject,
    send: () => Promise<ReplicaSetObject>,
  ): Promise<ReplicaSetObject> {
    try {
      const written = await send();
      this.has(deployment, written);
      return written;
    } catch (err) {
      const key = keyOfObject(deployment);
      const names = this.#unanswered.get(key) ?? new Set<string>();
      if (!isRefusal(err)) this.#unanswered.set(key, names.add(name));
      throw err;
    }
  }
}

/** The server has said that it did not do it; after anything else it may have. */
function isRefusal(err: unknown): boolean {
  return err instanceof StatusError && err.code < 500;
}
