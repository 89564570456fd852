// All controllers on a simulated cluster, each with informers and a client of its own: what each one writes can be told apart, and each
// lags behind by itself.

import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { SimNodes, type SimNodesOptions } from "../../controller/testing/sim-nodes.ts";
import { DaemonSetController } from "../daemon-set/daemon-set-controller.ts";
import { DeploymentController } from "../deployment/deployment-controller.ts";
import { GarbageCollector } from "../garbage-collector/garbage-collector.ts";
import { NamespaceController } from "../namespace/namespace-controller.ts";
import { NodeController } from "../node/node-controller.ts";
import { PodGarbageCollector } from "../pod-gc/pod-garbage-collector.ts";
import { ReplicaSetController } from "../replica-set/replica-set-controller.ts";
import { Scheduler } from "../scheduler/scheduler.ts";

/** The `by` of its writes. */
export type ControllerName =
  | "daemonSet"
  | "deployment"
  | "garbageCollector"
  | "namespace"
  | "node"
  | "podGarbageCollector"
  | "replicaSet"
  | "scheduler";

type Make = (context: ControllerContext) => RunnableController;

const CONTROLLERS: Readonly<Record<ControllerName, Make>> = {
  deployment: (context) => new DeploymentController(context),
  replicaSet: (context) => new ReplicaSetController(context),
  daemonSet: (context) => new DaemonSetController(context),
  scheduler: (context) => new Scheduler(context),
  garbageCollector: (context) => new GarbageCollector(context),
  namespace: (context) => new NamespaceController(context),
  podGarbageCollector: (context) => new PodGarbageCollector(context),
  node: (context) => new NodeController(context),
};

export interface WorldOptions {
  readonly seed: number;
  readonly nodes: SimNodesOptions;
  /** Run in place of a controller, for planted faults. */
  readonly replaced?: Partial<Record<ControllerName, Make>>;
}

export class World implements AsyncDisposable {
  readonly sim: SimCluster;
  readonly nodes: SimNodes;
  readonly #controllers: Readonly<Record<ControllerName, Make>>;

  constructor({ seed, nodes, replaced }: WorldOptions) {
    this.sim = new SimCluster({ seed, maxWritesAtOnce: 1500 });
    this.nodes = new SimNodes(this.sim, nodes);
    this.#controllers = { ...CONTROLLERS, ...replaced };
  }

  async start(): Promise<void> {
    const made = Object.entries(this.#controllers).map(([name, make]) =>
      make(this.sim.contextOf(name)),
    );
    await this.sim.start(...made);
  }

  /** As if the process had ended and another had begun. */
  async restart(): Promise<void> {
    await this.sim.stop();
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.nodes[Symbol.dispose]();
    await this.sim[Symbol.asyncDispose]();
  }
}
