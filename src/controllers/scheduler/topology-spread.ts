// Pods of one kind are spread over zones and machines: as far as a pod demands it, as well as possible where it does not.

import type { ClusterState } from "./cluster-state.ts";
import type { CountsByNode } from "./node-counts.ts";
import type { NodeFilter, NodeInfo } from "./node-info.ts";
import { MAX_SCORE, PASSES } from "./node-scores.ts";
import type { PodInfo } from "./pod-info.ts";
import { type SpreadConstraint, spreadConstraintsOf } from "./spread-constraints.ts";

const TOO_MANY = ["node(s) didn't match pod topology spread constraints"];
const NO_LABEL = ["node(s) didn't match pod topology spread constraints (missing required label)"];

const ZONE = "topology.kubernetes.io/zone";
const HOST = "kubernetes.io/hostname";

export function spreadFilter(pod: PodInfo, cluster: ClusterState): NodeFilter | undefined {
  const constraints = spreadConstraintsOf(pod, "DoNotSchedule");
  if (constraints.length === 0) return undefined;
  const { nodes } = cluster;
  const eligible = nodes.filter((node) => hasLabels(node, constraints));
  const rules = constraints.map((constraint) => {
    const domains = domainCounts(constraint, eligible, cluster.count(constraint.question));
    const least = domains.size < constraint.minDomains ? 0 : Math.min(...domains.values());
    return { constraint, domains, least };
  });
  return (node) => {
    for (const { constraint, domains, least } of rules) {
      const value = node.label(constraint.topologyKey);
      if (value === undefined) return NO_LABEL;
      const count = (domains.get(value) ?? 0) + (constraint.countsItself ? 1 : 0);
      if (count - least > constraint.maxSkew) return TOO_MANY;
    }
    return PASSES;
  };
}

/** Undefined if there is nothing to spread. */
export function spreadScores(
  pod: PodInfo,
  cluster: ClusterState,
  nodes: readonly NodeInfo[],
): number[] | undefined {
  if ((pod.spec.topologySpreadConstraints ?? []).length === 0) {
    return controllerScores(pod, cluster, nodes);
  }
  const constraints = spreadConstraintsOf(pod, "ScheduleAnyway");
  if (constraints.length === 0) return undefined;
  const scored = nodes.filter((node) => hasLabels(node, constraints));
  const eligible = cluster.nodes.filter((node) => hasLabels(node, constraints));
  const rules = constraints.map((constraint) => {
    const { topologyKey, maxSkew, question } = constraint;
    const counts = cluster.count(question);
    const domains = domainCounts(constraint, eligible, counts);
    const values = new Set(scored.map((node) => node.label(topologyKey)));
    const countOf = (node: NodeInfo): number =>
      topologyKey === HOST
        ? (counts.get(node.name) ?? 0)
        : (domains.get(node.label(topologyKey) ?? "") ?? 0);
    return { maxSkew, countOf, weight: weightOf(values.size) };
  });
  return normalized(nodes, (node) =>
    hasLabels(node, constraints)
      ? rules.reduce((sum, rule) => sum + share(rule, node), 0)
      : undefined,
  );
}

/** Without wishes of its own: the pods of one controller are spread over nodes and, less strictly, over zones. */
function controllerScores(
  { controller }: PodInfo,
  cluster: ClusterState,
  nodes: readonly NodeInfo[],
): number[] | undefined {
  if (controller === undefined) return undefined;
  const counts = cluster.countOfController(controller);
  const inZones = new Map<string, number>();
  for (const [name, count] of counts) {
    const zone = cluster.node(name)?.label(ZONE);
    if (zone !== undefined) inZones.set(zone, (inZones.get(zone) ?? 0) + count);
  }
  const zones = new Set(nodes.map((node) => node.label(ZONE) ?? ""));
  const onNode: SpreadRule = {
    maxSkew: 3,
    weight: weightOf(nodes.length),
    countOf: ({ name }) => counts.get(name) ?? 0,
  };
  const inZone: SpreadRule = {
    maxSkew: 5,
    weight: weightOf(zones.size),
    countOf: (node) => inZones.get(node.label(ZONE) ?? "") ?? 0,
  };
  return normalized(nodes, (node) => {
    const zoned = node.label(ZONE) === undefined ? 0 : share(inZone, node);
    return share(onNode, node) + zoned;
  });
}

interface SpreadRule {
  readonly maxSkew: number;
  readonly weight: number;
  readonly countOf: (node: NodeInfo) => number;
}

/** The larger the skew that is allowed, the less a difference of one matters. */
function share({ maxSkew, weight, countOf }: SpreadRule, node: NodeInfo): number {
  return countOf(node) * weight + maxSkew - 1;
}

/** Few zones have many pods each, many machines few: without a weight the zones would decide alone. */
function weightOf(domains: number): number {
  return Math.log(domains + 2);
}

/** The fewer the better; a node that has no answer gets nothing. */
function normalized(
  nodes: readonly NodeInfo[],
  answer: (node: NodeInfo) => number | undefined,
): number[] {
  const answers = nodes.map((node) => {
    const sum = answer(node);
    return sum === undefined ? undefined : Math.round(sum);
  });
  const given = answers.filter((sum) => sum !== undefined);
  const [min, max] = [Math.min(...given), Math.max(0, ...given)];
  return answers.map((sum) => {
    if (sum === undefined) return 0;
    return max === 0 ? MAX_SCORE : Math.trunc((MAX_SCORE * (max + min - sum)) / max);
  });
}

function hasLabels(node: NodeInfo, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => node.label(topologyKey) !== undefined);
}

/** Every domain that a node takes part in, those without pods too. */
function domainCounts(
  { topologyKey, includes }: SpreadConstraint,
  nodes: readonly NodeInfo[],
  counts: CountsByNode,
): ReadonlyMap<string, number> {
  const domains = new Map<string, number>();
  for (const node of nodes) {
    const value = node.label(topologyKey);
    if (value === undefined || !includes(node)) continue;
    domains.set(value, (domains.get(value) ?? 0) + (counts.get(node.name) ?? 0));
  }
  return domains;
}
