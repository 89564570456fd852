// Chooses a node for a pod: those that every filter lets it onto, and of them the one that suits best. Nothing here reads a clock or
// writes anything; the same state and the same chance give the same answer.

import type { Random } from "../../base/random.ts";
import type { ClusterState } from "./cluster-state.ts";
import { portFilter } from "./host-ports.ts";
import { namedNodes, nodeAffinityFilter, nodeAffinityScores } from "./node-affinity.ts";
import type { NodeFilter, NodeInfo } from "./node-info.ts";
import { podAffinityFilter, podAffinityScores } from "./pod-affinity.ts";
import type { PodInfo } from "./pod-info.ts";
import { leastAllocatedScores, resourceFilter } from "./resource-fit.ts";
import { taintFilter, taintScores, unschedulableFilter } from "./taints.ts";
import { spreadFilter, spreadScores } from "./topology-spread.ts";

/** What a pod can be kept off nodes by: what has to change before it is worth another look. */
export type Blocker =
  | "unschedulable"
  | "taints"
  | "nodeAffinity"
  | "ports"
  | "resources"
  | "spread"
  | "podAffinity";

export type Placement =
  | { readonly node: string }
  | { readonly message: string; readonly blockers: ReadonlySet<Blocker> };

type Rule = readonly [Blocker, NodeFilter | undefined];

export function placePod(pod: PodInfo, cluster: ClusterState, random: Random): Placement {
  const { nodes } = cluster;
  if (nodes.length === 0) {
    return { message: "no nodes available to schedule pods", blockers: new Set() };
  }
  const names = namedNodes(pod.spec);
  if (names?.size === 0) {
    const why = "pod affinity terms conflict";
    const message = `0/${nodes.length} nodes are available: ${why}.`;
    return { message, blockers: new Set(["nodeAffinity"]) };
  }
  const rules = rulesFor(pod, cluster);
  const blockers = new Set<Blocker>();
  const reasons = new Map<string, number>();
  const fitting: NodeInfo[] = [];
  for (const node of names === undefined ? nodes : named(cluster, names)) {
    const [blocker, why] = judge(rules, node);
    if (blocker === undefined) fitting.push(node);
    else blockers.add(blocker);
    for (const reason of why) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  if (fitting.length > 0) return { node: best(pod, { cluster, fitting, random }) };
  const judged = names === undefined ? nodes.length : named(cluster, names).length;
  if (judged < nodes.length) {
    blockers.add("nodeAffinity");
    reasons.set("node(s) didn't satisfy plugin(s) [NodeAffinity]", nodes.length - judged);
  }
  return { message: unplacedMessage(nodes.length, reasons), blockers };
}

/** In this order: what an administrator decided, what the pod wants, what is free. The first that refuses gives the reason. */
function rulesFor(pod: PodInfo, cluster: ClusterState): readonly Rule[] {
  return [
    ["unschedulable", unschedulableFilter(pod)],
    ["taints", taintFilter(pod)],
    ["nodeAffinity", nodeAffinityFilter(pod)],
    ["ports", portFilter(pod)],
    ["resources", resourceFilter(pod)],
    ["spread", spreadFilter(pod, cluster)],
    ["podAffinity", podAffinityFilter(pod, cluster)],
  ];
}

function judge(
  rules: readonly Rule[],
  node: NodeInfo,
): readonly [Blocker | undefined, readonly string[]] {
  for (const [blocker, filter] of rules) {
    const why = filter?.(node) ?? [];
    if (why.length > 0) return [blocker, why];
  }
  return [undefined, []];
}

/** As the original weighs them. */
function best(
  pod: PodInfo,
  of: {
    readonly cluster: ClusterState;
    readonly fitting: readonly NodeInfo[];
    readonly random: Random;
  },
): string {
  const { cluster, fitting, random } = of;
  if (fitting.length === 1) return fitting[0]?.name ?? "";
  const weighed: readonly (readonly [number, readonly number[] | undefined])[] = [
    [3, taintScores(pod, fitting)],
    [2, nodeAffinityScores(pod, fitting)],
    [1, leastAllocatedScores(pod, fitting)],
    [2, spreadScores(pod, cluster, fitting)],
    [2, podAffinityScores(pod, cluster, fitting)],
  ];
  const totals = fitting.map((_, i) =>
    weighed.reduce((sum, [weight, scores]) => sum + weight * (scores?.[i] ?? 0), 0),
  );
  const most = Math.max(...totals);
  const equals = fitting.filter((_, i) => totals[i] === most);
  return equals[Math.floor(random.next() * equals.length)]?.name ?? "";
}

function named(cluster: ClusterState, names: ReadonlySet<string>): readonly NodeInfo[] {
  return [...names].flatMap((name) => cluster.node(name) ?? []);
}

/** "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu." */
function unplacedMessage(nodes: number, reasons: ReadonlyMap<string, number>): string {
  const told = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${told.join(", ")}.`;
}
