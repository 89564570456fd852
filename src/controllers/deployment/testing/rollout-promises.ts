// What every rollout promises, as checks of single writes of a simulated cluster. They throw when a promise is broken.

import type { ApiObject } from "../../../api/object.ts";
import type { Pod } from "../../../api/types.ts";
import { semanticEqual } from "../../../api/validation/semantic-equal.ts";
import { isControlledBy } from "../../../controller/owner.ts";
import type { SimCluster } from "../../../controller/testing/sim-cluster.ts";
import type { SimWrite } from "../../../controller/testing/sim-store.ts";
import { isReady } from "../../pods/pod-condition.ts";
import { POD } from "../../pods/pod-object.ts";
import {
  DEPLOYMENT,
  type DeploymentObject,
  desiredReplicas,
  HASH_LABEL,
  isRecreate,
  REPLICA_SET,
  type ReplicaSetObject,
} from "../deployment-objects.ts";
import { isComplete } from "../deployment-status.ts";
import { sizeOf, totalSize } from "../replica-sets.ts";
import { maxSurge, minAvailable } from "../rollout-limits.ts";

export class RolloutPromises {
  readonly #sim: SimCluster;
  readonly #key: string;
  /**
   * The size and the limits are those of the last rollout that was complete. Promises count from there: the shares of a new size go by
   * proportion only, and a part that lags may still go by the old one.
   */
  #isSettled = false;

  constructor(sim: SimCluster, key: string) {
    this.#sim = sim;
    this.#key = key;
  }

  check(write: SimWrite): void {
    const { kind, object, by } = write;
    if (kind.kind === "Deployment") this.#settle(write);
    if (by !== "controllers") return;
    const deployment = this.#sim.get<DeploymentObject>(DEPLOYMENT, this.#key);
    if (deployment === undefined) return;
    if (kind.kind === "ReplicaSet" && this.#isSettled) this.#checkSurge(write, deployment);
    if (kind.kind !== "Pod") return;
    if (isRecreate(deployment)) this.#checkRecreate(write);
    else if (this.#isSettled && isTakenAway(write)) this.#checkAvailable(deployment, object);
  }

  #settle({ object, old }: SimWrite): void {
    const deployment = object as DeploymentObject;
    const { spec, status } = deployment;
    const before = (old as DeploymentObject | undefined)?.spec;
    const isResized =
      before?.replicas !== spec.replicas || !semanticEqual(before?.strategy, spec.strategy);
    this.#isSettled = !isResized && (this.#isSettled || isComplete(deployment, status));
  }

  /** No ReplicaSet grows beyond what surge allows. */
  #checkSurge({ object, old }: SimWrite, deployment: DeploymentObject): void {
    const before = old === undefined ? 0 : sizeOf(old as ReplicaSetObject);
    if (sizeOf(object as ReplicaSetObject) <= before) return;
    const sets = this.#sim.list<ReplicaSetObject>(REPLICA_SET);
    const total = totalSize(sets.filter((set) => isControlledBy(set, deployment)));
    const limit = desiredReplicas(deployment) + maxSurge(deployment);
    if (total > limit) throw new Error(`${total} pods are wanted where ${limit} are allowed`);
  }

  /** No working pod is taken away when no more than promised work. */
  #checkAvailable(deployment: DeploymentObject, { metadata }: ApiObject): void {
    const working = this.#sim.list<Pod>(POD).filter(isWorking).length;
    const promised = minAvailable(deployment);
    if (working >= promised) return;
    throw new Error(`${metadata.name} goes: ${working} pods work where ${promised} are promised`);
  }

  /** No pod starts while one of another template is there. */
  #checkRecreate({ type, object }: SimWrite): void {
    const hashOf = ({ metadata }: ApiObject): string | undefined => metadata.labels?.[HASH_LABEL];
    const other = this.#sim.list<Pod>(POD).find((pod) => hashOf(pod) !== hashOf(object));
    if (type !== "ADDED" || other === undefined) return;
    throw new Error(`${object.metadata.name} starts while ${other.metadata.name} is there`);
  }
}

function isTakenAway({ object, old }: SimWrite): boolean {
  return (
    old !== undefined && isWorking(old as Pod & ApiObject) && !isWorking(object as Pod & ApiObject)
  );
}

function isWorking(pod: Pod): boolean {
  return isReady(pod) && pod.metadata.deletionTimestamp == null;
}
