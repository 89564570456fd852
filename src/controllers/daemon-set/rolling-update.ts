// The next step of an update from old pods to those of the newest revision: which old pods go, and which nodes get a new pod beside
// the old one. It relies on `manage`, which makes pods where there are none and removes those too many.
//
// Without surge an old pod goes first, as long as no more than maxUnavailable nodes are without an available pod; one that is not
// available anyway goes at once. With surge a new pod comes first, on at most maxSurge nodes at a time, and the old one goes when the
// new one is available. Pods that are on their way out count as neither, so that an update goes on while a node is away.

import { isAvailable } from "../pods/pod-condition.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { type DaemonSetObject, isUpdated, type NodeObject } from "./daemon-set-object.ts";
import type { Placement } from "./placement.ts";
import { rollingLimits } from "./rolling-limits.ts";

export interface UpdateFacts {
  readonly set: DaemonSetObject;
  readonly nodes: readonly NodeObject[];
  readonly byNode: ReadonlyMap<string, readonly PodObject[]>;
  readonly placement: (node: NodeObject) => Placement;
  readonly isGoing: (pod: PodObject) => boolean;
  readonly hash: string;
  readonly nowMs: number;
}

export interface UpdateStep {
  /** Nodes that get a pod beside the one that is there. */
  readonly create: readonly string[];
  readonly delete: readonly PodObject[];
}

/** What is on one node, those on their way out left out. */
interface Held {
  readonly nodeName: string;
  readonly newPod: PodObject | undefined;
  readonly oldPod: PodObject | undefined;
  /** More than one of a sort: `manage` has to clean up first. */
  readonly isCrowded: boolean;
}

export function rollingUpdate(facts: UpdateFacts): UpdateStep {
  const { set, nodes, byNode, placement } = facts;
  const wanted = new Set(
    nodes.filter((node) => placement(node).shouldRun).map(({ metadata }) => metadata.name ?? ""),
  );
  const held = [...new Set([...byNode.keys(), ...wanted])].map((name) => heldOn(name, facts));
  const { maxSurge, maxUnavailable } = rollingLimits(set, wanted.size);
  const isUp = (pod: PodObject): boolean =>
    isAvailable(pod, set.spec.minReadySeconds ?? 0, facts.nowMs);
  return maxSurge === 0
    ? oldFirst(held, { maxUnavailable, isUp })
    : newFirst(held, { maxSurge, wanted, isUp });
}

function oldFirst(
  held: readonly Held[],
  limits: { readonly maxUnavailable: number; readonly isUp: (pod: PodObject) => boolean },
): UpdateStep {
  const { maxUnavailable, isUp } = limits;
  const useless: PodObject[] = [];
  const candidates: PodObject[] = [];
  let unavailable = 0;
  for (const { newPod, oldPod, isCrowded } of held) {
    const only = newPod === undefined ? oldPod : oldPod === undefined ? newPod : undefined;
    if (isCrowded || only === undefined || !isUp(only)) {
      unavailable++;
      if (!isCrowded && only !== undefined && only === oldPod) useless.push(only);
    } else if (only === oldPod) {
      candidates.push(only);
    }
  }
  const room = Math.max(0, maxUnavailable - unavailable);
  return { create: [], delete: [...useless, ...candidates.slice(0, room)] };
}

interface SurgeLimits {
  readonly maxSurge: number;
  readonly wanted: ReadonlySet<string>;
  readonly isUp: (pod: PodObject) => boolean;
}

function newFirst(held: readonly Held[], limits: SurgeLimits): UpdateStep {
  const { maxSurge, wanted, isUp } = limits;
  const byRole = Map.groupBy(held, (one) => roleOf(one, limits));
  const namesOf = (role: Role): string[] => byRole.get(role)?.map(({ nodeName }) => nodeName) ?? [];
  const oldOf = (role: Role): PodObject[] =>
    byRole.get(role)?.flatMap(({ oldPod }) => oldPod ?? []) ?? [];
  const available = held.filter(({ newPod, oldPod, isCrowded }) => {
    const first = oldPod ?? newPod;
    return !isCrowded && first !== undefined && isUp(first);
  }).length;
  const room = Math.max(0, maxSurge - namesOf("surging").length);
  // A set that moves to other nodes leaves the old ones only as fast as it is available on the new ones.
  const spare = Math.max(0, available - wanted.size);
  return {
    create: [...namesOf("urgent"), ...namesOf("candidate").slice(0, room)],
    delete: [...oldOf("replaced"), ...oldOf("leaving").slice(0, spare)],
  };
}

/**
 * urgent and candidate: the node needs a new pod, at once or when there is room. surging: the new pod starts. replaced: the old pod
 * serves nobody, or its successor does. leaving: it serves, on a node that the set has left.
 */
type Role = "urgent" | "candidate" | "surging" | "replaced" | "leaving" | "settled";

function roleOf(
  { nodeName, newPod, oldPod, isCrowded }: Held,
  { wanted, isUp }: SurgeLimits,
): Role {
  if (isCrowded) return "surging";
  if (oldPod === undefined) return "settled";
  if (newPod !== undefined) return isUp(newPod) ? "replaced" : "surging";
  if (wanted.has(nodeName)) return isUp(oldPod) ? "candidate" : "urgent";
  return isUp(oldPod) ? "leaving" : "replaced";
}

function heldOn(nodeName: string, { set, byNode, isGoing, hash }: UpdateFacts): Held {
  const pods = (byNode.get(nodeName) ?? []).filter((pod) => !isGoing(pod));
  const newPods = pods.filter((pod) => isUpdated(set, pod, hash));
  const oldPods = pods.filter((pod) => !isUpdated(set, pod, hash));
  const isCrowded = newPods.length > 1 || oldPods.length > 1;
  return { nodeName, newPod: newPods[0], oldPod: oldPods[0], isCrowded };
}
