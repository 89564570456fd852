// All that is written for Deployments: their ReplicaSets, their status, and events. Remembers what the informers do not show yet.

import { isNotFound } from "../../api/status-error.ts";
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

  forget(key: string): void {
    this.#ownStatus.forget(key);
    this.#ownSets.forget(key);
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
    const made = await this.replicaSets.create(set, { signal });
    this.has(deployment, made);
    return made;
  }

  /** Refused if anything in it has changed since: what was decided on is no longer so. */
  async updateSet(
    deployment: DeploymentObject,
    set: ReplicaSetObject,
    signal: AbortSignal,
  ): Promise<ReplicaSetObject> {
    const written = await this.replicaSets.update(set, { signal });
    this.has(deployment, written);
    return written;
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
}
