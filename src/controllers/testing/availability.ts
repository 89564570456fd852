// No fewer than what is promised.

import type { SimWrite } from "../../controller/testing/sim-store.ts";
import {
  broken,
  byKind,
  isAvailable,
  limitsOf,
  managerOf,
  type NewInvariant,
  ownedBy,
  PODS,
  REPLICA_SETS,
  type StoredDeployment,
  type StoredPod,
  type StoredReplicaSet,
  uidOf,
} from "./invariant.ts";
import { Recent, RecentCounts } from "./recent.ts";

export const availability: NewInvariant = ({ sim, windowMs }) => {
  const promise = "no deletion takes a Deployment below replicas - maxUnavailable available pods";
  const floors = new Recent<number>(sim.clock, windowMs);
  /** Pods that others took or broke, by deployment: a controller may not have known that when it decided. */
  const lostToOthers = new RecentCounts(sim.clock, windowMs);
  /** By deployment. A change of the number is shared out among old and new in proportion, whoever of them is available. */
  const scaled = new RecentCounts(sim.clock, windowMs);
  /** By the uid of the pod. */
  const availableSince = new Map<string, number>();
  const deploymentOf = (pod: StoredPod): string => {
    const sets = sim.list<StoredReplicaSet>(REPLICA_SETS);
    return managerOf(sets.find((set) => uidOf(set) === managerOf(pod)));
  };
  const availableOf = (deployment: string): number => {
    const sets = ownedBy(sim.list<StoredReplicaSet>(REPLICA_SETS), deployment).map(uidOf);
    const pods = sim.list<StoredPod>(PODS).filter((pod) => sets.includes(managerOf(pod)));
    return pods.filter((pod) => availableSince.has(uidOf(pod))).length;
  };
  const judge = (write: SimWrite, sinceMs: number): void => {
    const deployment = deploymentOf(write.old as StoredPod);
    if (deployment === "") return;
    const isMarked = write.object.metadata.deletionTimestamp !== undefined;
    if (write.by !== "replicaSet" || !isMarked) {
      lostToOthers.add(deployment);
      return;
    }
    if (scaled.of(deployment) > 0) return;
    // It may have been chosen because it was not known to be available yet.
    if (sim.clock.monotonicMs() - sinceMs <= windowMs()) return;
    const floor = Math.min(...floors.of(deployment));
    const left = availableOf(deployment) + lostToOthers.of(deployment);
    if (left < floor) throw broken(promise, write, `${left} of ${floor} are left`);
  };
  return {
    promise,
    see: byKind({
      Deployment({ type, object, old }) {
        const deployment = object as StoredDeployment;
        const before = (old as StoredDeployment | undefined)?.spec.replicas;
        if (before !== deployment.spec.replicas) scaled.add(uidOf(object));
        const isGoing = type === "DELETED" || object.metadata.deletionTimestamp !== undefined;
        const { unavailable } = limitsOf(deployment);
        floors.set(uidOf(object), isGoing ? 0 : (deployment.spec.replicas ?? 1) - unavailable);
      },
      Pod(write) {
        const uid = uidOf(write.object);
        const isUp = write.type !== "DELETED" && isAvailable(write.object as StoredPod);
        const sinceMs = availableSince.get(uid);
        if (isUp && write.old !== undefined && managerOf(write.old) !== managerOf(write.object)) {
          lostToOthers.add(deploymentOf(write.old as StoredPod));
        }
        if (isUp && sinceMs === undefined) availableSince.set(uid, sim.clock.monotonicMs());
        if (isUp || sinceMs === undefined) return;
        availableSince.delete(uid);
        judge(write, sinceMs);
      },
    }),
  };
};
