// What keeps pods off a node unless they say that they can live with it.

import type { Taint, Toleration } from "../../api/types.ts";
import type { NodeFilter, NodeInfo } from "./node-info.ts";
import { PASSES, reversed } from "./node-scores.ts";
import type { PodInfo } from "./pod-info.ts";

const CORDON: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key, operator, value, effect } = toleration;
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator || "Equal") === "Equal" && (value ?? "") === (taint.value ?? "");
}

/** The first of those that keep pods away which the pod does not tolerate. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[],
): Taint | undefined {
  return taints?.find(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

export function unschedulableFilter({ tolerations }: PodInfo): NodeFilter | undefined {
  if (tolerations.some((toleration) => tolerates(toleration, CORDON))) return undefined;
  const refused = ["node(s) were unschedulable"];
  return ({ node }) => (node.spec.unschedulable === true ? refused : PASSES);
}

/** Which taint it is concerns those who run the cluster, not everyone who may read a pod. */
export function taintFilter({ tolerations }: PodInfo): NodeFilter {
  const refused = ["node(s) had untolerated taint(s)"];
  return ({ node }) => (untoleratedTaint(node.spec.taints, tolerations) ? refused : PASSES);
}

/** The fewer taints that ask to be avoided, the better. */
export function taintScores({ tolerations }: PodInfo, nodes: readonly NodeInfo[]): number[] {
  const relevant = tolerations.filter(({ effect = "" }) =>
    ["", "PreferNoSchedule"].includes(effect),
  );
  const avoided = nodes.map(({ node }) => {
    const asked = node.spec.taints?.filter(({ effect }) => effect === "PreferNoSchedule") ?? [];
    return asked.filter((taint) => !relevant.some((one) => tolerates(one, taint))).length;
  });
  return reversed(avoided);
}
