// One pod for each node.

import type { NodeSelectorTerm } from "../../api/types.ts";
import {
  broken,
  byKind,
  isActive,
  managerOf,
  type NewInvariant,
  ownedBy,
  PODS,
  type StoredDaemonSet,
  type StoredPod,
  uidOf,
} from "./invariant.ts";
import { Recent, RecentCounts } from "./recent.ts";

export const onePerNode: NewInvariant = ({ sim, windowMs, lost }) => {
  const promise = "a DaemonSet has at most one pod on a node, and its surge";
  const limits = new Recent<number>(sim.clock, windowMs);
  const gained = new RecentCounts(sim.clock, windowMs);
  return {
    promise,
    see: byKind({
      DaemonSet({ object }) {
        const { updateStrategy } = (object as StoredDaemonSet).spec;
        const surge = updateStrategy?.rollingUpdate?.maxSurge ?? 0;
        limits.set(uidOf(object), surge === 0 || surge === "0%" ? 1 : 2);
      },
      Pod(write) {
        const { type, object, old, by } = write;
        const uid = managerOf(object);
        if (type === "MODIFIED" && managerOf(old) !== uid) gained.add(uid);
        if (type !== "ADDED" || by !== "daemonSet") return;
        const node = nodeOf(object as StoredPod);
        const active = ownedBy(sim.list<StoredPod>(PODS), uid).filter(isActive);
        const there = active.filter((pod) => nodeOf(pod) === node).length;
        const may = Math.max(...limits.of(uid)) + lost.of(uid) + gained.of(uid);
        if (there > may) throw broken(promise, write, `${there} of ${may} are on ${node}`);
      },
    }),
  };
};

/** Where it is, or where it is meant to go. */
function nodeOf({ spec }: StoredPod): string {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms: readonly NodeSelectorTerm[] = required?.nodeSelectorTerms ?? [];
  const [field] = terms.flatMap(({ matchFields }) => matchFields ?? []);
  return spec.nodeName || (field?.values?.[0] ?? "");
}
