// The pods of all workloads of one kind, for the controller of that kind: finds those of a workload, makes and deletes them, and
// remembers what it wrote until the informer shows it.

import type { ApiObject } from "../../api/object.ts";
import type { LabelSelector } from "../../api/selectors/label-selector.ts";
import { StatusError } from "../../api/status-error.ts";
import type { PodTemplateSpec } from "../../api/types.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { claim } from "../../controller/claim.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { BY_OWNER, orphansOf, ownedBy } from "../../controller/informers.ts";
import { OwnWrites } from "../../controller/own-writes.ts";
import { isControlledBy } from "../../controller/owner.ts";
import { isNamespaceTerminating, PodControl } from "./pod-control.ts";
import { keyOfObject, POD, type PodObject } from "./pod-object.ts";
import { slowStart } from "./slow-start.ts";

export interface OwnedPodsOptions {
  readonly context: ControllerContext;
  readonly ownerKind: ResourceKind;
  readonly events: Events;
}

/** What kept pods from being made or deleted; the first that did. */
export interface Failure {
  readonly error: unknown;
}

export class OwnedPods {
  readonly informer: Informer<PodObject>;
  readonly client: ResourceClient<PodObject>;
  readonly #control: PodControl;
  readonly #owners: ResourceClient<ApiObject>;
  readonly #ownWrites: OwnWrites;
  /** Keys of owners for which a request was sent and no answer came: it may have been done. */
  readonly #unsure = new Set<string>();

  constructor({ context, ownerKind, events }: OwnedPodsOptions) {
    const { client, informers, clock } = context;
    this.informer = informers.of<PodObject>(POD);
    this.client = new ResourceClient<PodObject>(client, POD);
    this.#owners = new ResourceClient<ApiObject>(client, ownerKind);
    this.#control = new PodControl({ pods: this.client, events, ownerKind });
    this.#ownWrites = new OwnWrites({ informer: this.informer, clock });
    this.informer.onChange((change) => {
      if (change.type === "deleted") this.#ownWrites.gone(change.object);
    });
  }

  /** Whether the informer shows all that was made for this owner. Asks the server where an answer was lost. */
  async areSeen(owner: ApiObject, selector: LabelSelector, signal: AbortSignal): Promise<boolean> {
    const key = keyOfObject(owner);
    if (this.#unsure.has(key)) {
      await this.#lookAgain(owner, selector, signal);
      this.#unsure.delete(key);
    }
    return this.#ownWrites.areSeen(key);
  }

  /** The server has this version of a pod of the owner's. */
  wrote(owner: ApiObject, pod: PodObject): void {
    this.#ownWrites.wrote(keyOfObject(owner), pod);
  }

  /** The owner is gone. */
  forget(ownerKey: string): void {
    this.#ownWrites.forget(ownerKey);
    this.#unsure.delete(ownerKey);
  }

  /** It is marked for deletion, or we have asked for that. */
  readonly isGoing = (pod: PodObject): boolean => this.#ownWrites.isGoing(pod);

  /** All that the owner manages and all that nobody does, of its namespace. */
  candidates(owner: ApiObject): readonly PodObject[] {
    const own = this.informer.byIndex(BY_OWNER, ownedBy(owner.metadata));
    const { namespace = "" } = owner.metadata;
    return [...own, ...this.informer.byIndex(BY_OWNER, orphansOf(namespace))];
  }

  /** Those of the candidates that are the owner's: orphans that it selects become so, and those that it does not are let go. */
  async claim(
    owner: ApiObject,
    of: { readonly selector: LabelSelector; readonly candidates: readonly PodObject[] },
    signal: AbortSignal,
  ): Promise<readonly PodObject[]> {
    const { namespace, name = "" } = owner.metadata;
    return claim({
      owner,
      ownerKind: this.#owners.kind,
      ...of,
      children: this.client,
      freshOwner: () => this.#owners.get({ namespace, name }, { signal }),
      signal,
    });
  }

  /** One pod for each template, at first carefully. */
  async create(
    owner: ApiObject,
    templates: readonly PodTemplateSpec[],
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const { error } = await slowStart(templates, async (template) => {
      try {
        this.wrote(owner, await this.#control.create(owner, template, signal));
      } catch (err) {
        this.#noteLost(owner, err);
        throw err;
      }
    });
    // Nothing can be made there any more: trying again helps nobody.
    return error === undefined || isNamespaceTerminating(error) ? undefined : { error };
  }

  async delete(
    owner: ApiObject,
    pods: readonly PodObject[],
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const results = await Promise.allSettled(
      pods.map(async (pod) => {
        try {
          await this.#control.delete(owner, pod, signal);
          this.#ownWrites.deleted(pod);
        } catch (err) {
          this.#noteLost(owner, err);
          throw err;
        }
      }),
    );
    const failed = results.find((result) => result.status === "rejected");
    return failed && { error: failed.reason as unknown };
  }

  /** What was refused was not done for sure; a server, or a proxy before it, that ran into trouble or out of time may have done it. */
  #noteLost(owner: ApiObject, err: unknown): void {
    const told = err instanceof StatusError ? err : (err as { readonly cause?: unknown }).cause;
    const isRefusal = told instanceof StatusError && told.code < 500;
    if (!isRefusal) this.#unsure.add(keyOfObject(owner));
  }

  /** What the server has of the owner's pods is what the informer has to catch up with. */
  async #lookAgain(owner: ApiObject, selector: LabelSelector, signal: AbortSignal): Promise<void> {
    const { namespace } = owner.metadata;
    const labelSelector = selector.toString();
    const there = new Set<string | undefined>();
    for await (const pod of this.client.all({ namespace, labelSelector, signal })) {
      there.add(pod.metadata.uid);
      if (isControlledBy(pod, owner)) this.wrote(owner, pod);
    }
    for (const pod of this.informer.byIndex(BY_OWNER, ownedBy(owner.metadata))) {
      const { metadata } = pod;
      if (!there.has(metadata.uid) && selector.matches(metadata.labels)) {
        this.#ownWrites.deleted(pod);
      }
    }
  }
}
