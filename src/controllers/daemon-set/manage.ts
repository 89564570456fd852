// What has to change so that every node that should has one pod of a DaemonSet, and no other node has any. Which version the pods
// have is no matter here, except where a second one is allowed beside the first while it starts.

import { isAvailable, isReady } from "../pods/pod-condition.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { type DaemonSetObject, HASH_LABEL, type NodeObject } from "./daemon-set-object.ts";
import type { Placement } from "./placement.ts";
import { allowsSurge } from "./rolling-limits.ts";

export interface ManageFacts {
  readonly set: DaemonSetObject;
  readonly nodes: readonly NodeObject[];
  readonly byNode: ReadonlyMap<string, readonly PodObject[]>;
  readonly placement: (node: NodeObject) => Placement;
  readonly isGoing: (pod: PodObject) => boolean;
  /** The revision that new pods get. */
  readonly hash: string;
  readonly nowMs: number;
}

/** A pod that ended, which a daemon should not. */
export interface EndedPod {
  readonly pod: PodObject;
  readonly nodeName: string;
}

export interface ManageDecision {
  /** Nodes that get a pod. */
  readonly create: string[];
  readonly delete: PodObject[];
  /** To be deleted after a pause that grows, and then made anew. */
  readonly failed: EndedPod[];
  readonly succeeded: EndedPod[];
}

export function manage(facts: ManageFacts): ManageDecision {
  const { nodes, byNode, placement } = facts;
  const decision: ManageDecision = { create: [], delete: [], failed: [], succeeded: [] };
  const names = new Set<string>();
  for (const node of nodes) {
    const nodeName = node.metadata.name ?? "";
    names.add(nodeName);
    const { shouldRun, shouldContinue } = placement(node);
    const pods = byNode.get(nodeName);
    if (pods === undefined) {
      if (shouldRun) decision.create.push(nodeName);
    } else if (shouldContinue) {
      keepOne({ nodeName, pods, shouldRun }, facts, decision);
    } else {
      decision.delete.push(...pods.filter((pod) => !facts.isGoing(pod)));
    }
  }
  decision.delete.push(...stranded(byNode, names, facts));
  return decision;
}

interface Place {
  readonly nodeName: string;
  readonly pods: readonly PodObject[];
  readonly shouldRun: boolean;
}

function keepOne(
  { nodeName, pods, shouldRun }: Place,
  facts: ManageFacts,
  decision: ManageDecision,
): void {
  const running: PodObject[] = [];
  let hasFailed = false;
  for (const pod of pods) {
    if (facts.isGoing(pod)) continue;
    const { phase } = pod.status;
    if (phase === "Failed") {
      hasFailed = true;
      decision.failed.push({ pod, nodeName });
    } else if (phase === "Succeeded") {
      decision.succeeded.push({ pod, nodeName });
    } else {
      running.push(pod);
    }
  }
  if (!allowsSurge(facts.set)) {
    decision.delete.push(...running.slice(1));
  } else if (running.length === 0) {
    // One that failed is replaced when its pause is over and it is gone: the next would likely fail as well.
    if (shouldRun && !hasFailed) decision.create.push(nodeName);
  } else {
    decision.delete.push(...surplus(running, facts));
  }
}

/** The oldest new pod and the oldest old one may be there together while the new one starts and the old one serves. */
function surplus(running: readonly PodObject[], facts: ManageFacts): readonly PodObject[] {
  const { set, hash, nowMs } = facts;
  const isNew = ({ metadata }: PodObject): boolean => metadata.labels?.[HASH_LABEL] === hash;
  const newPod = running.find(isNew);
  const oldPod = running.find((pod) => !isNew(pod));
  const surplus = running.filter((pod) => pod !== newPod && pod !== oldPod);
  if (newPod === undefined || oldPod === undefined) return surplus;
  const isReplaced = !isReady(oldPod) || isAvailable(newPod, set.spec.minReadySeconds ?? 0, nowMs);
  return isReplaced ? [...surplus, oldPod] : surplus;
}

/** Meant for a node that there is not: nobody binds them, and nobody else deletes them. */
function stranded(
  byNode: ManageFacts["byNode"],
  names: ReadonlySet<string>,
  { isGoing }: ManageFacts,
): readonly PodObject[] {
  return [...byNode]
    .filter(([nodeName]) => !names.has(nodeName))
    .flatMap(([, pods]) => pods)
    .filter((pod) => (pod.spec.nodeName ?? "") === "" && !isGoing(pod));
}
