// Keeps what disruption budgets say up to date: how many of their pods are well, and how many may be evicted. The server takes each
// eviction off the budget itself; this is who gives it back when a new pod is well.

import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import { describe } from "../../base/errors.ts";
import type { Change, Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { BY_NAMESPACE } from "../../controller/informers.ts";
import { controllerOf, referenceTo } from "../../controller/owner.ts";
import {
  DEPLOYMENT,
  type DeploymentObject,
  REPLICA_SET,
  type ReplicaSetObject,
} from "../deployment/deployment-objects.ts";
import { keyOfObject, POD, type PodObject, servedKind } from "../pods/pod-object.ts";
import { sameStatus } from "../pods/same-status.ts";
import { selectorOf } from "../pods/selector-of.ts";
import { type BudgetObject, budgetStatus, failedStatus } from "./budget-status.ts";

const BUDGET = servedKind("policy/v1", "PodDisruptionBudget");
const WORKERS = 1;

export class DisruptionController implements RunnableController {
  readonly name = "disruption-controller";
  readonly #context: ControllerContext;
  readonly #budgets: Informer<BudgetObject>;
  readonly #pods: Informer<PodObject>;
  readonly #replicaSets: Informer<ReplicaSetObject>;
  readonly #deployments: Informer<DeploymentObject>;
  readonly #client: ResourceClient<BudgetObject>;
  readonly #events: Events;
  readonly #loop: Controller;

  constructor(context: ControllerContext) {
    const { client, informers, eventsOf, clock, random, logger } = context;
    this.#context = context;
    this.#budgets = informers.of<BudgetObject>(BUDGET);
    this.#pods = informers.of<PodObject>(POD);
    this.#replicaSets = informers.of<ReplicaSetObject>(REPLICA_SET);
    this.#deployments = informers.of<DeploymentObject>(DEPLOYMENT);
    this.#client = new ResourceClient<BudgetObject>(client, BUDGET);
    this.#events = eventsOf("controllermanager");
    const used = [this.#budgets, this.#pods, this.#replicaSets, this.#deployments];
    this.#loop = new Controller({
      ...{ name: this.name, workers: WORKERS, clock, random, logger, loops: context.loops },
      synced: async () => {
        await Promise.all(used.map((informer) => informer.synced));
      },
      sync: (key, signal) => this.#sync(key, signal),
    });
    this.#budgets.onChange(({ object }) => this.#loop.queue.add(keyOfObject(object)));
    this.#pods.onChange((change) => this.#podChanged(change));
    this.#replicaSets.onChange((change) => this.#scaleChanged(change));
    this.#deployments.onChange((change) => this.#scaleChanged(change));
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #podChanged(change: Change<PodObject>): void {
    const labels = [change.object.metadata.labels];
    if (change.type === "updated") labels.push(change.old.metadata.labels);
    for (const budget of this.#budgetsIn(change.object.metadata.namespace)) {
      const selector = selectorOf(budget);
      if (labels.some((of) => selector?.matches(of) === true)) {
        this.#loop.queue.add(keyOfObject(budget));
      }
    }
  }

  /** Shares are of what is wanted. Changes of anything else come as changes of the pods. */
  #scaleChanged(change: Change<ReplicaSetObject> | Change<DeploymentObject>): void {
    if (change.type === "updated" && change.old.spec.replicas === change.object.spec.replicas) {
      return;
    }
    for (const budget of this.#budgetsIn(change.object.metadata.namespace)) {
      this.#loop.queue.add(keyOfObject(budget));
    }
  }

  #budgetsIn(namespace = ""): readonly BudgetObject[] {
    return this.#budgets.byIndex(BY_NAMESPACE, namespace);
  }

  async #sync(key: string, signal: AbortSignal): Promise<number | undefined> {
    const budget = this.#budgets.get(key);
    if (budget === undefined) return undefined;
    try {
      return await this.#update(budget, signal);
    } catch (err) {
      // What the server said is about the write; whatever else it was keeps the numbers from being found.
      if (signal.aborted || err instanceof StatusError) throw err;
      await this.#write(budget, failedStatus(budget, describe(err), this.#nowMs), signal);
      return undefined;
    }
  }

  async #update(budget: BudgetObject, signal: AbortSignal): Promise<number | undefined> {
    const { namespace = "" } = budget.metadata;
    const selector = selectorOf(budget);
    const pods = this.#pods
      .byIndex(BY_NAMESPACE, namespace)
      .filter(({ metadata }) => selector?.matches(metadata.labels) === true);
    if (pods.length === 0) this.#tell(budget, "Normal", "NoPods", "No matching pods found");
    const wantedPods = (): number => this.#wantedPods(budget, pods);
    const found = budgetStatus({ budget, pods, wantedPods, nowMs: this.#nowMs });
    for (const pod of found.notDeleted) {
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      const object = referenceTo(POD, pod);
      this.#events.record({ object, type: "Warning", reason: "NotDeleted", message });
    }
    await this.#write(budget, found.status, signal);
    return found.againMs;
  }

  /** The sum over all that manage one of the pods. */
  #wantedPods(budget: BudgetObject, pods: readonly PodObject[]): number {
    const byOwner = new Map<string, number>();
    let hasUnmanaged = false;
    for (const pod of pods) {
      if (controllerOf(pod) === undefined) {
        hasUnmanaged = true;
      } else {
        const { uid, replicas } = this.#ownerOf(pod);
        byOwner.set(uid, replicas);
      }
    }
    if (hasUnmanaged) this.#tell(budget, "Warning", "UnmanagedPods", unmanagedText(budget));
    return [...byOwner.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  #ownerOf(pod: PodObject): { readonly uid: string; readonly replicas: number } {
    const replicaSet = ownerIn(this.#replicaSets, pod);
    if (replicaSet === undefined) {
      throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
    }
    const { metadata, spec } = ownerIn(this.#deployments, replicaSet) ?? replicaSet;
    return { uid: metadata.uid ?? "", replicas: spec.replicas ?? 1 };
  }

  async #write(
    budget: BudgetObject,
    status: BudgetObject["status"],
    signal: AbortSignal,
  ): Promise<void> {
    if (sameStatus(budget.status, status)) return;
    await this.#client.updateStatus({ ...budget, status }, { signal });
  }

  #tell(budget: BudgetObject, type: "Normal" | "Warning", reason: string, message: string): void {
    this.#events.record({ object: referenceTo(BUDGET, budget), type, reason, message });
  }

  get #nowMs(): number {
    return this.#context.clock.now();
  }
}

/** Who manages it, if it is of this kind. */
function ownerIn<T extends ApiObject>(informer: Informer<T>, object: ApiObject): T | undefined {
  const { name, uid } = controllerOf(object) ?? {};
  const found = informer.get(`${object.metadata.namespace}/${name}`);
  return found?.metadata.uid === uid ? found : undefined;
}

function unmanagedText({ spec }: BudgetObject): string {
  const labels = Object.entries(spec.selector?.matchLabels ?? {});
  const selector = labels.map(([key, value]) => `${key}:${value}`).join(" ");
  return `Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{${selector}},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}
