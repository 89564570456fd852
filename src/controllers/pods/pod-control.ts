// Makes and deletes the pods of a workload, and tells the workload's events of each.

import type { ApiObject } from "../../api/object.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { PodTemplateSpec } from "../../api/types.ts";
import { describe } from "../../base/errors.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { controllerReference, referenceTo } from "../../controller/owner.ts";
import type { PodObject } from "./pod-object.ts";

export interface PodControlOptions {
  readonly pods: ResourceClient<PodObject>;
  readonly events: Events;
  /** Of the workloads. */
  readonly ownerKind: ResourceKind;
}

export class PodControl {
  readonly #pods: ResourceClient<PodObject>;
  readonly #events: Events;
  readonly #ownerKind: ResourceKind;

  constructor({ pods, events, ownerKind }: PodControlOptions) {
    this.#pods = pods;
    this.#events = events;
    this.#ownerKind = ownerKind;
  }

  /** A namespace that goes is no event: nothing can be made there, and nobody waits for it. */
  async create(
    owner: ApiObject,
    template: PodTemplateSpec,
    signal: AbortSignal,
  ): Promise<PodObject> {
    if (Object.keys(template.metadata.labels ?? {}).length === 0) {
      throw new Error("unable to create pods, no labels");
    }
    try {
      const pod = await this.#pods.create(podOf(template, owner, this.#ownerKind), { signal });
      const message = `Created pod: ${pod.metadata.name ?? ""}`;
      this.#record(owner, { type: "Normal", reason: "SuccessfulCreate", message });
      return pod;
    } catch (err) {
      if (!isNamespaceTerminating(err) && !signal.aborted) {
        const message = `Error creating: ${describe(err)}`;
        this.#record(owner, { type: "Warning", reason: "FailedCreate", message });
      }
      throw err;
    }
  }

  /** Settles when the server has agreed, or has no such pod any more. */
  async delete(owner: ApiObject, pod: PodObject, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", uid } = pod.metadata;
    const preconditions = uid === undefined ? {} : { uid };
    try {
      await this.#pods.delete({ namespace, name }, { preconditions, signal });
    } catch (err) {
      if (isNotFound(err)) return;
      const message = `Error deleting: ${describe(err)}`;
      if (!signal.aborted)
        this.#record(owner, { type: "Warning", reason: "FailedDelete", message });
      throw new Error(`unable to delete pods: ${describe(err)}`, { cause: err });
    }
    const message = `Deleted pod: ${name}`;
    this.#record(owner, { type: "Normal", reason: "SuccessfulDelete", message });
  }

  #record(
    owner: ApiObject,
    event: {
      readonly type: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
    },
  ): void {
    this.#events.record({ object: referenceTo(this.#ownerKind, owner), ...event });
  }
}

/** As the template says, owned by `owner`; the server chooses the end of the name. */
export function podOf(
  template: PodTemplateSpec,
  owner: ApiObject,
  ownerKind: ResourceKind,
): PodObject {
  const { labels, annotations, finalizers } = template.metadata;
  const { namespace, name = "" } = owner.metadata;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${name}-`,
      namespace,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [controllerReference(ownerKind, owner)],
    },
    spec: template.spec,
    status: {},
  };
  return pod as PodObject;
}

export function isNamespaceTerminating(err: unknown): boolean {
  if (!(err instanceof StatusError)) return false;
  return err.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
}
