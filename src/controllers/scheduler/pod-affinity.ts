// Pods that want to be near other pods, or far from them. "Near" is a label of the node: the same zone, the same machine.

import type { ClusterState } from "./cluster-state.ts";
import type { CountsByNode } from "./node-counts.ts";
import type { NodeFilter, NodeInfo } from "./node-info.ts";
import { PASSES, ranged } from "./node-scores.ts";
import type { PodInfo } from "./pod-info.ts";
import type { PodQuestion } from "./pod-tallies.ts";
import type { PodTerm } from "./pod-terms.ts";

/** The values of a topology key in which something is. */
interface Domains {
  readonly topologyKey: string;
  readonly values: ReadonlySet<string>;
}

const NOT_NEAR = ["node(s) didn't match pod affinity rules"];
const TOO_NEAR = ["node(s) didn't match pod anti-affinity rules"];
const UNWELCOME = ["node(s) didn't satisfy existing pods anti-affinity rules"];

/** What a pod on a node that demands to be near the new one counts for, without having been asked. */
const REQUIRED_WEIGHT = 1;

export function podAffinityFilter(pod: PodInfo, cluster: ClusterState): NodeFilter | undefined {
  const near = wantedDomains(pod, cluster);
  const far = pod.terms.requiredAnti.map((term) =>
    domainsOf(cluster, term.topologyKey, cluster.count(questionOf([term]))),
  );
  const unwelcome: Domains[] = [];
  const { requiredAnti } = cluster.holders;
  for (const [{ topologyKey }, counts] of requiredAnti.selecting(pod, cluster.namespaceLabels)) {
    unwelcome.push(domainsOf(cluster, topologyKey, counts));
  }
  if (near.length + far.length + unwelcome.length === 0) return undefined;
  // The first of a group that wants to be together has nobody to be near to.
  const mayBeFirst =
    near.every(({ values }) => values.size === 0) &&
    pod.terms.required.every((term) => term.selects(pod, cluster.namespaceLabels));
  return (node) => {
    if (!near.every(({ topologyKey }) => node.label(topologyKey) !== undefined)) return NOT_NEAR;
    if (!mayBeFirst && !near.every((domains) => isIn(node, domains))) return NOT_NEAR;
    if (far.some((domains) => isIn(node, domains))) return TOO_NEAR;
    return unwelcome.some((domains) => isIn(node, domains)) ? UNWELCOME : PASSES;
  };
}

/** What the pod prefers, and what those who are there prefer about it; undefined if nobody cares. */
export function podAffinityScores(
  pod: PodInfo,
  cluster: ClusterState,
  nodes: readonly NodeInfo[],
): number[] | undefined {
  const scores = new Map<string, Map<string, number>>();
  const add = (topologyKey: string, counts: CountsByNode, weight: number): void => {
    const values = scores.get(topologyKey) ?? new Map<string, number>();
    for (const [name, count] of counts) {
      const value = cluster.node(name)?.label(topologyKey);
      if (value !== undefined) values.set(value, (values.get(value) ?? 0) + weight * count);
    }
    if (values.size > 0) scores.set(topologyKey, values);
  };
  const { terms } = pod;
  for (const [own, sign] of [[terms.preferred, 1] as const, [terms.preferredAnti, -1] as const]) {
    for (const term of own) {
      add(term.topologyKey, cluster.count(questionOf([term])), sign * term.weight);
    }
  }
  const { holders, namespaceLabels } = cluster;
  for (const [kind, weight] of [
    ["required", REQUIRED_WEIGHT] as const,
    ["preferred", 1] as const,
    ["preferredAnti", -1] as const,
  ]) {
    for (const [term, counts] of holders[kind].selecting(pod, namespaceLabels)) {
      add(term.topologyKey, counts, weight * term.weight);
    }
  }
  if (scores.size === 0) return undefined;
  return ranged(
    nodes.map((node) => {
      let sum = 0;
      for (const [topologyKey, values] of scores) {
        sum += values.get(node.label(topologyKey) ?? "") ?? 0;
      }
      return sum;
    }),
  );
}

/** A pod that is near has to satisfy all terms, each in its own topology. */
function wantedDomains(
  { terms: { required } }: PodInfo,
  cluster: ClusterState,
): readonly Domains[] {
  if (required.length === 0) return [];
  const counts = cluster.count(questionOf(required));
  return required.map(({ topologyKey }) => domainsOf(cluster, topologyKey, counts));
}

function questionOf(terms: readonly PodTerm[]): PodQuestion {
  return {
    key: `terms|${terms.map(({ key }) => key).join("&")}`,
    looksAtNamespaces: terms.some(({ looksAtNamespaces }) => looksAtNamespaces),
    asks: (pod, namespaceLabels) => terms.every((term) => term.selects(pod, namespaceLabels)),
  };
}

function domainsOf(cluster: ClusterState, topologyKey: string, counts: CountsByNode): Domains {
  const values = new Set<string>();
  for (const name of counts.keys()) {
    const value = cluster.node(name)?.label(topologyKey);
    if (value !== undefined) values.add(value);
  }
  return { topologyKey, values };
}

function isIn(node: NodeInfo, { topologyKey, values }: Domains): boolean {
  const value = node.label(topologyKey);
  return value !== undefined && values.has(value);
}
