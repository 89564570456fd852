// No more than what is asked for.

import type { SimWrite } from "../../controller/testing/sim-store.ts";
import {
  broken,
  byKind,
  isActive,
  isSelectedBy,
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

export const replicaSetLimit: NewInvariant = ({ sim, windowMs, lost }) => {
  const promise = "a ReplicaSet's controller makes no pod beyond the number of replicas";
  const wanted = new Recent<number>(sim.clock, windowMs);
  const sets = new Map<string, StoredReplicaSet>();
  /** Uids of pods that make up the number of their set. */
  const counted = new Set<string>();
  /** Those that came to be counted without having been made for it, by set. */
  const gained = new RecentCounts(sim.clock, windowMs);
  const counts = (pod: StoredPod): boolean => {
    const set = sets.get(managerOf(pod));
    return set !== undefined && isActive(pod) && isSelectedBy(set, pod);
  };
  const count = ({ type, object }: SimWrite): void => {
    const isCounted = type !== "DELETED" && counts(object as StoredPod);
    const isNew = isCounted && !counted.has(uidOf(object));
    if (isNew && type !== "ADDED") gained.add(managerOf(object));
    if (isCounted) counted.add(uidOf(object));
    else counted.delete(uidOf(object));
  };
  return {
    promise,
    see: byKind({
      ReplicaSet({ object }) {
        sets.set(uidOf(object), object as StoredReplicaSet);
        wanted.set(uidOf(object), (object as StoredReplicaSet).spec.replicas ?? 1);
      },
      Pod(write) {
        count(write);
        if (write.type !== "ADDED" || write.by !== "replicaSet") return;
        const uid = managerOf(write.object);
        const has = ownedBy(sim.list<StoredPod>(PODS), uid).filter(counts).length;
        const may = Math.max(0, ...wanted.of(uid)) + lost.of(uid) + gained.of(uid);
        if (has > may) throw broken(promise, write, `there are ${has} of ${may}`);
      },
    }),
  };
};

export const deploymentLimit: NewInvariant = ({ sim, windowMs }) => {
  const promise = "a Deployment asks its ReplicaSets for no more than replicas + maxSurge";
  const limits = new Recent<number>(sim.clock, windowMs);
  return {
    promise,
    see: byKind({
      Deployment({ object }) {
        const deployment = object as StoredDeployment;
        limits.set(uidOf(object), replicasOf(deployment) + limitsOf(deployment).surge);
      },
      ReplicaSet(write) {
        if (write.by !== "deployment" || write.type === "DELETED") return;
        const before = write.old === undefined ? 0 : replicasOf(write.old as StoredReplicaSet);
        if (replicasOf(write.object as StoredReplicaSet) <= before) return;
        const uid = managerOf(write.object);
        const sets = ownedBy(sim.list<StoredReplicaSet>(REPLICA_SETS), uid);
        const asked = sets.reduce((sum, set) => sum + replicasOf(set), 0);
        const may = Math.max(...limits.of(uid));
        if (asked > may) throw broken(promise, write, `they are asked for ${asked} of ${may}`);
      },
    }),
  };
};

function replicasOf({ spec }: StoredDeployment | StoredReplicaSet): number {
  return spec.replicas ?? 1;
}
