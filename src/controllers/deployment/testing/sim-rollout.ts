// A Deployment called "web" in a simulated cluster, with the controllers that roll it out and one node for its pods. What a rollout
// promises is watched over at every write.

import type { ApiObject } from "../../../api/object.ts";
import type { DeploymentSpec, Pod } from "../../../api/types.ts";
import { SimCluster } from "../../../controller/testing/sim-cluster.ts";
import { type SimFate, SimNodes } from "../../../controller/testing/sim-nodes.ts";
import type { SimWrite } from "../../../controller/testing/sim-store.ts";
import { POD } from "../../pods/pod-object.ts";
import { ReplicaSetController } from "../../replica-set/replica-set-controller.ts";
import { conditionOf } from "../deployment-conditions.ts";
import { DeploymentController } from "../deployment-controller.ts";
import {
  DEPLOYMENT,
  type DeploymentObject,
  REPLICA_SET,
  type ReplicaSetObject,
} from "../deployment-objects.ts";
import { isComplete } from "../deployment-status.ts";
import { sizeOf } from "../replica-sets.ts";
import { templateOf } from "./rollout-objects.ts";
import { RolloutPromises } from "./rollout-promises.ts";

const KEY = "default/web";

export class SimRollout implements AsyncDisposable {
  readonly sim: SimCluster;
  readonly nodes: SimNodes;
  /** Kind and name of every write of a Deployment or ReplicaSet. */
  readonly writes: string[] = [];
  /** All that Progressing has said, each once in a row. */
  readonly progress: string[] = [];
  readonly #promises: RolloutPromises;

  constructor({
    seed = 1,
    fate,
  }: { readonly seed?: number; readonly fate?: (image: string) => Partial<SimFate> } = {}) {
    this.sim = new SimCluster({ seed });
    const fateOf = fate ?? ((image) => (image === "bad" ? { readyMs: undefined } : {}));
    this.nodes = new SimNodes(this.sim, { count: 1, fate: (pod) => fateOf(imageOf(pod)) });
    this.#promises = new RolloutPromises(this.sim, KEY);
    this.sim.observe((write) => this.#see(write));
  }

  /** Makes the Deployment, with the image "v1". */
  create(spec: Partial<DeploymentSpec> = {}): void {
    const metadata = { name: "web", namespace: "default" };
    const selector = { matchLabels: { app: "web" } };
    this.sim.create(DEPLOYMENT, {
      metadata,
      spec: { selector, template: bound("v1"), strategy: {}, ...spec },
    });
  }

  async start(): Promise<void> {
    const { context } = this.sim;
    await this.sim.start(new DeploymentController(context), new ReplicaSetController(context));
  }

  /** As if the process had been killed and another took over. */
  async restart(): Promise<void> {
    await this.sim.stop();
    await this.start();
  }

  /** As `kubectl patch`. */
  async change(spec: object): Promise<void> {
    this.sim.patch(DEPLOYMENT, KEY, { spec });
    await this.sim.settle();
  }

  async use(image: string): Promise<void> {
    await this.change({ template: bound(image) });
  }

  /** Until the rollout is complete; fails if that takes more than ten minutes. */
  async complete(): Promise<void> {
    await this.until("the rollout is complete", () =>
      isComplete(this.deployment, this.deployment.status),
    );
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    for (let seconds = 0; seconds < 600; seconds += 0.25) {
      if (isSo()) return;
      await this.sim.pass(250);
    }
    throw new Error(`Not in ten minutes: ${what}: ${JSON.stringify(this.deployment.status)}`);
  }

  get deployment(): DeploymentObject {
    const found = this.sim.get<DeploymentObject>(DEPLOYMENT, KEY);
    if (found === undefined) throw new Error(`There is no Deployment ${KEY}`);
    return found;
  }

  /** "Progressing": "True ReplicaSetUpdated". */
  condition(type: string): string | undefined {
    const found = conditionOf(this.deployment.status.conditions, type);
    return found && `${found.status} ${found.reason}`;
  }

  get sets(): readonly ReplicaSetObject[] {
    return this.sim.list<ReplicaSetObject>(REPLICA_SET);
  }

  /** The one with this image. */
  set(image: string): ReplicaSetObject {
    const found = this.sets.find(({ spec }) => spec.template.spec.containers?.[0]?.image === image);
    if (found === undefined) throw new Error(`There is no ReplicaSet for ${image}`);
    return found;
  }

  /** Sizes by image. */
  get sizes(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.sets.map((set) => [set.spec.template.spec.containers?.[0]?.image ?? "", sizeOf(set)]),
    );
  }

  get pods(): readonly (Pod & ApiObject)[] {
    return this.sim.list<Pod>(POD);
  }

  /** What was told of by events, with images in place of the names of ReplicaSets. */
  get events(): readonly string[] {
    const names = new Map(
      this.sets.map((set) => [set.metadata.name ?? "", imageOf(set.spec.template)]),
    );
    return this.sim.events
      .filter(({ component }) => component === "deployment-controller")
      .map(({ type, reason, message }) => {
        const text = message.replace(/web-\w+/, (name) => names.get(name) ?? name);
        return `${type} ${reason} ${text}`;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.nodes[Symbol.dispose]();
    await this.sim[Symbol.asyncDispose]();
  }

  #see(write: SimWrite): void {
    const { kind, object } = write;
    this.#promises.check(write);
    if (kind.kind !== "Deployment" && kind.kind !== "ReplicaSet") return;
    this.writes.push(`${kind.kind} ${object.metadata.name}`);
    if (kind.kind !== "Deployment") return;
    const { conditions } = (object as DeploymentObject).status;
    const reason = conditionOf(conditions, "Progressing")?.reason;
    if (reason !== undefined && reason !== this.progress.at(-1)) this.progress.push(reason);
  }
}

/** On the node that there is, so that no scheduler is needed. */
export function bound(image: string): DeploymentSpec["template"] {
  const template = templateOf(image);
  return { ...template, spec: { ...template.spec, nodeName: "node-0" } };
}

function imageOf({ spec }: Pick<Pod, "spec">): string {
  return spec.containers?.[0]?.image ?? "";
}
