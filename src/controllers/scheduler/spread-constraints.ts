// Topology spread constraints of a pod, ready to be asked: which nodes take part, and which pods count.

import { labelRequirement } from "../../api/selectors/label-requirement.ts";
import { LabelSelector } from "../../api/selectors/label-selector.ts";
import type { TopologySpreadConstraint } from "../../api/types.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { PodQuestion } from "./pod-tallies.ts";
import { leniently, selectorText } from "./pod-terms.ts";
import { untoleratedTaint } from "./taints.ts";

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** The pod itself is one of those that are to be spread. */
  readonly countsItself: boolean;
  /** Asks for the pods that are to be spread. */
  readonly question: PodQuestion;
  /** Pods on this node count, if it has the topology's label. */
  readonly includes: (node: NodeInfo) => boolean;
}

export function spreadConstraintsOf(
  pod: PodInfo,
  whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway",
): readonly SpreadConstraint[] {
  const constraints = pod.spec.topologySpreadConstraints ?? [];
  return constraints
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => constraintOf(pod, constraint));
}

function constraintOf(pod: PodInfo, constraint: TopologySpreadConstraint): SpreadConstraint {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  const selector = selectorOf(pod, constraint);
  const { namespace, tolerations } = pod;
  return {
    topologyKey,
    maxSkew,
    minDomains,
    countsItself: selector.matches(pod.labels),
    question: {
      key: `spread|${namespace}|${selectorText(selector)}`,
      looksAtNamespaces: false,
      // A selector that selects everything counts nothing, in the original too.
      asks: (other) =>
        !selector.isEmpty &&
        !other.isGoing &&
        other.namespace === namespace &&
        selector.matches(other.labels),
    },
    includes: ({ node }) =>
      (nodeAffinityPolicy !== "Honor" || pod.isOnNode(node)) &&
      (nodeTaintsPolicy !== "Honor" || !untoleratedTaint(node.spec.taints, tolerations)),
  };
}

/** With the pod's own values of the labels in matchLabelKeys. */
function selectorOf(pod: PodInfo, constraint: TopologySpreadConstraint): LabelSelector {
  const selector = leniently(constraint.labelSelector);
  const { labels } = pod;
  const own = (constraint.matchLabelKeys ?? []).flatMap((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [labelRequirement(key, "in", [value])];
  });
  if (own.length === 0 || selector.matchesNothing) return selector;
  return new LabelSelector([...selector.requirements, ...own]);
}
