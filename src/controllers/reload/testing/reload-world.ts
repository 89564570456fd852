// A simulated cluster with the reload controller in it: workloads that use configuration, and a count of how often each was restarted.

import type { ApiObject } from "../../../api/object.ts";
import { unknownResource } from "../../../api/status-error.ts";
import type { ResourceKind } from "../../../client/resource-path.ts";
import { controllerReference } from "../../../controller/owner.ts";
import { SimCluster } from "../../../controller/testing/sim-cluster.ts";
import type { SimFault, SimRequest } from "../../../controller/testing/sim-server.ts";
import { DEPLOYMENT, REPLICA_SET } from "../../deployment/deployment-objects.ts";
import { POD, servedKind } from "../../pods/pod-object.ts";
import { ReloadController } from "../reload-controller.ts";
import type { WorkloadObject } from "../reload-target.ts";
import { RELOADED_FOR } from "../reload-writer.ts";

export const CONFIG_MAP: ResourceKind = servedKind("v1", "ConfigMap");
export const SECRET: ResourceKind = servedKind("v1", "Secret");
export const CONFIG_VIEW: ResourceKind = servedKind("driftless.dev/v1", "ConfigView");

export type Annotations = Readonly<Record<string, string>>;

export interface WorkloadOptions {
  readonly kind?: ResourceKind;
  readonly name?: string;
  readonly annotations?: Annotations;
  readonly podAnnotations?: Annotations;
  /** Of the pods; one container with `LEVEL` from the key `level` of the ConfigMap `app` if missing. */
  readonly podSpec?: object;
}

const revision = "deployment.kubernetes.io/revision";

/** A pod whose only container has one key of a ConfigMap in its environment. */
export function envSpec(name = "app", key = "level", optional = false): object {
  const configMapKeyRef = { name, key, optional };
  return container({ env: [{ name: "LEVEL", valueFrom: { configMapKeyRef } }] });
}

export function container(fields: object, more: object = {}): object {
  return { containers: [{ name: "c", image: "i", ...fields }], ...more };
}

export class ReloadWorld implements AsyncDisposable {
  readonly sim: SimCluster;
  /** How often the template of a workload was changed by a controller, by name. */
  readonly #restarts = new Map<string, number>();
  readonly #reasons = new Map<string, string>();
  readonly #hasViews: boolean;

  /** A cluster of somebody else's unless it has views. */
  constructor({ seed = 1, hasViews = false }: { seed?: number; hasViews?: boolean } = {}) {
    this.sim = new SimCluster({ seed });
    this.#hasViews = hasViews;
    this.refuse(() => undefined);
    this.sim.observe(({ object, type }) => {
      const template = (object as Partial<WorkloadObject>).spec?.template;
      const reason = template?.metadata?.annotations?.[RELOADED_FOR];
      const name = object.metadata.name ?? "";
      if (type !== "MODIFIED" || template === undefined || reason === undefined) return;
      if (object.kind === "ReplicaSet" || this.#reasons.get(name) === reason) return;
      this.#reasons.set(name, reason);
      this.#restarts.set(name, this.restarts(name) + 1);
    });
  }

  /** What goes wrong besides. */
  refuse(choose: (request: SimRequest) => SimFault | undefined): void {
    this.sim.refuse((request) =>
      request.kind.kind === "ConfigView" && !this.#hasViews ? unknownResource() : choose(request),
    );
  }

  async start(): Promise<void> {
    await this.sim.start(new ReloadController(this.sim.context));
  }

  /** As a process that ends and begins anew. */
  async restartController(): Promise<void> {
    await this.sim.stop();
    await this.start();
  }

  restarts(name = "web"): number {
    return this.#restarts.get(name) ?? 0;
  }

  configMap(
    data: Readonly<Record<string, string>>,
    name = "app",
    annotations: Annotations = {},
  ): void {
    this.sim.create(CONFIG_MAP, { metadata: { name, annotations }, data });
  }

  /** A Deployment with one pod that runs, unless said otherwise. */
  workload(options: WorkloadOptions = {}): WorkloadObject {
    const { kind = DEPLOYMENT, name = "web", annotations = {}, podAnnotations = {} } = options;
    const labels = { app: name };
    const spec = {
      ...(kind !== POD && { selector: { matchLabels: labels } }),
      ...(kind.kind === "StatefulSet" && { serviceName: name }),
      template: {
        metadata: { labels, annotations: podAnnotations },
        spec: options.podSpec ?? envSpec(),
      },
    };
    const metadata = { name, annotations: { ...annotations, [revision]: "1" } };
    const made = this.sim.create(kind, { metadata, spec });
    this.sim.patchStatus(kind, `default/${name}`, { status: { observedGeneration: 99 } });
    this.#pod(kind, made, options.podSpec ?? envSpec());
    return made as unknown as WorkloadObject;
  }

  #pod(kind: ResourceKind, owner: ApiObject, podSpec: object): void {
    const { name = "" } = owner.metadata;
    let ownerReferences = [controllerReference(kind, owner)];
    const labels = { app: name };
    if (kind === DEPLOYMENT) {
      const replicaSet = this.sim.create(REPLICA_SET, {
        metadata: { name: `${name}-1`, ownerReferences, annotations: { [revision]: "1" } },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: podSpec },
        },
      });
      ownerReferences = [controllerReference(REPLICA_SET, replicaSet)];
    }
    const metadata = { name: `${name}-pod`, labels, ownerReferences };
    this.sim.create(POD, { metadata, spec: { ...podSpec, nodeName: "n" } });
    this.startPod(`${name}-pod`);
  }

  startPod(name: string): void {
    const startedAt = new Date(this.sim.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const started = { name: "c", image: "i", imageID: "", ready: true, restartCount: 0 };
    const state = { running: { startedAt } };
    const containerStatuses = [{ ...started, containerID: "process://1", state }];
    this.sim.patchStatus(POD, `default/${name}`, { status: { containerStatuses } });
  }

  change(data: Readonly<Record<string, string | null>>, name = "app"): void {
    this.sim.patch(CONFIG_MAP, `default/${name}`, { data });
  }

  get(name = "web", kind: ResourceKind = DEPLOYMENT): WorkloadObject {
    const found = this.sim.get<WorkloadObject>(kind, `default/${name}`);
    if (found === undefined) throw new Error(`there is no ${kind.kind} ${name}`);
    return found;
  }

  messages(reason: string): readonly string[] {
    return this.sim.events.filter((one) => one.reason === reason).map(({ message }) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sim[Symbol.asyncDispose]();
  }
}
