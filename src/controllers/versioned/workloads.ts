// The workloads that may ask for the newest copies, of all three kinds under one key: "namespace/Deployment/web".

import type { ApiObject } from "../../api/object.ts";
import type { Change, Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import { BY_NAMESPACE } from "../../controller/informers.ts";
import { OwnWrites } from "../../controller/own-writes.ts";
import { servedKind } from "../pods/pod-object.ts";
import type { WorkloadObject } from "./pointing.ts";
import { asksForAny } from "./versioned-names.ts";

export type WorkloadKind = "Deployment" | "DaemonSet" | "StatefulSet";

const WORKLOAD_KINDS: readonly WorkloadKind[] = ["Deployment", "DaemonSet", "StatefulSet"];

interface Followed {
  readonly informer: Informer<WorkloadObject>;
  readonly client: ResourceClient<WorkloadObject>;
  readonly own: OwnWrites;
}

export interface WorkloadName {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
}

export class Workloads {
  readonly #followed: ReadonlyMap<WorkloadKind, Followed>;

  constructor({ client, informers, clock }: ControllerContext) {
    this.#followed = new Map(
      WORKLOAD_KINDS.map((kind) => {
        const served = servedKind("apps/v1", kind);
        const informer = informers.of<WorkloadObject>(served);
        return [
          kind,
          {
            informer,
            client: new ResourceClient<WorkloadObject>(client, served),
            own: new OwnWrites({ informer, clock }),
          },
        ];
      }),
    );
  }

  async synced(): Promise<void> {
    await Promise.all(Array.from(this.#followed.values(), ({ informer }) => informer.synced));
  }

  onChange(handler: (kind: WorkloadKind, change: Change<WorkloadObject>) => void): void {
    for (const [kind, { informer }] of this.#followed) {
      informer.onChange((change) => handler(kind, change));
    }
  }

  get({ kind, namespace, name }: WorkloadName): WorkloadObject | undefined {
    return this.#followed.get(kind)?.informer.get(`${namespace}/${name}`);
  }

  client(kind: WorkloadKind): ResourceClient<WorkloadObject> {
    const followed = this.#followed.get(kind);
    if (followed === undefined) throw new Error(`Cannot write ${kind}: it is not followed`);
    return followed.client;
  }

  in(namespace: string): readonly WorkloadObject[] {
    return Array.from(this.#followed.values(), ({ informer }) =>
      informer.byIndex(BY_NAMESPACE, namespace),
    ).flat();
  }

  /** Keys of those that ask for copies. */
  asking(namespace: string): readonly string[] {
    return Array.from(this.#followed, ([kind, { informer }]) =>
      informer
        .byIndex(BY_NAMESPACE, namespace)
        .filter(asksForAny)
        .map((object) => workloadKey(kind, object)),
    ).flat();
  }

  wrote(of: WorkloadName, object: WorkloadObject): void {
    this.#followed.get(of.kind)?.own.wrote(`${of.namespace}/${of.name}`, object);
  }

  areSeen({ kind, namespace, name }: WorkloadName): boolean {
    return this.#followed.get(kind)?.own.areSeen(`${namespace}/${name}`) ?? true;
  }
}

export function workloadKey(kind: WorkloadKind, { metadata }: ApiObject): string {
  return `${metadata.namespace ?? ""}/${kind}/${metadata.name ?? ""}`;
}

export function workloadOfKey(key: string): WorkloadName {
  const [namespace = "", kind = "", name = ""] = key.split("/");
  return { kind: kind as WorkloadKind, namespace, name };
}
