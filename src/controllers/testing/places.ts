// Where pods are put, and what makes them leave.

import type { Taint, Toleration } from "../../api/types.ts";
import {
  broken,
  byKind,
  isOver,
  type NewInvariant,
  NODES,
  PODS,
  type StoredNode,
  type StoredPod,
} from "./invariant.ts";
import { isDeletion } from "./ownership.ts";
import { Recent } from "./recent.ts";

export const goodPlaces: NewInvariant = ({ sim, windowMs }) => {
  const promise = "a pod is bound once, to a node that takes it and has room";
  const nodes = new Recent<StoredNode | undefined>(sim.clock, windowMs);
  const count = (node: string): number =>
    sim.list<StoredPod>(PODS).filter((pod) => pod.spec.nodeName === node && !isOver(pod)).length;
  return {
    promise,
    see: byKind({
      Node({ type, object }) {
        const node = type === "DELETED" ? undefined : (object as StoredNode);
        nodes.set(object.metadata.name ?? "", node);
      },
      Pod(write) {
        if (write.old === undefined) return;
        const pod = write.object as StoredPod;
        const [before, now] = [write.old as StoredPod, pod].map(({ spec }) => spec.nodeName ?? "");
        if (now === undefined || before === now) return;
        if (before !== "") throw broken(promise, write, `it was on ${before} and is on ${now}`);
        if (!nodes.of(now).some((node) => node !== undefined && takes(node, pod))) {
          throw broken(promise, write, `${now} does not take it`);
        }
        const { allocatable } = sim.get<StoredNode>(NODES, now)?.status ?? {};
        const [has, room] = [count(now), Number(allocatable?.["pods"] ?? 110)];
        if (has > room) throw broken(promise, write, `${now} has ${has} of ${room}`);
      },
    }),
  };
};

/** It wants pods, and this one bears its taints. */
function takes({ spec }: StoredNode, pod: StoredPod): boolean {
  const unschedulable: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  const taints = [...(spec.taints ?? []), ...(spec.unschedulable === true ? [unschedulable] : [])];
  return taints
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .every((taint) => tolerationOf(pod, taint) !== undefined);
}

function tolerationOf({ spec }: StoredPod, taint: Taint): Toleration | undefined {
  return (spec.tolerations ?? []).find(
    ({ key = "", operator = "Equal", value = "", effect = "" }) =>
      (effect === "" || effect === taint.effect) &&
      (key === "" || key === taint.key) &&
      (operator === "Exists" || value === (taint.value ?? "")),
  );
}

export const goodEvictions: NewInvariant = ({ sim, windowMs }) => {
  const promise = "a pod is evicted only by a taint that it does not bear, or not any longer";
  const taints = new Recent<readonly Taint[]>(sim.clock, windowMs);
  return {
    promise,
    see: byKind({
      Node({ object }) {
        taints.set(object.metadata.name ?? "", (object as StoredNode).spec.taints ?? []);
      },
      Pod(write) {
        if (write.by !== "node" || !isDeletion(write)) return;
        const pod = write.object as StoredPod;
        const { nodeName = "" } = pod.spec;
        const lately = taints.of(nodeName).flat();
        const isDriven = lately.some((taint) => drives(pod, taint, sim.clock.now()));
        if (!isDriven) throw broken(promise, write, `${nodeName} has no such taint`);
      },
    }),
  };
};

function drives(pod: StoredPod, taint: Taint, now: number): boolean {
  if (taint.effect !== "NoExecute") return false;
  const toleration = tolerationOf(pod, taint);
  if (toleration === undefined) return true;
  const { tolerationSeconds } = toleration;
  if (tolerationSeconds === undefined) return false;
  const since = Date.parse(taint.timeAdded ?? pod.metadata.creationTimestamp ?? "");
  // Times are told in whole seconds.
  return now - since >= (tolerationSeconds - 2) * 1000;
}

export const goodPodGarbage: NewInvariant = ({ sim }) => {
  const promise = "pods are collected only when they are over, or their node is gone";
  return {
    promise,
    see: byKind({
      Pod(write) {
        if (write.by !== "podGarbageCollector" || !isDeletion(write)) return;
        const { nodeName = "" } = (write.object as StoredPod).spec;
        const isNodeGone = nodeName !== "" && sim.get(NODES, nodeName) === undefined;
        if (!isNodeGone) throw broken(promise, write, `its node is ${JSON.stringify(nodeName)}`);
      },
    }),
  };
};
