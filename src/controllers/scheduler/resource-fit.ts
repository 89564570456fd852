// Whether a node has room for a pod, and how much would be left.

import type { NodeFilter, NodeInfo } from "./node-info.ts";
import { MAX_SCORE } from "./node-scores.ts";
import type { PodInfo } from "./pod-info.ts";

export function resourceFilter({ requests }: PodInfo): NodeFilter {
  const wanted = [...requests].filter(([name, amount]) => amount > 0 && name !== "pods");
  return (node) => {
    const refused: string[] = [];
    if (node.podCount + 1 > node.allocatable("pods")) refused.push("Too many pods");
    for (const [name, amount] of wanted) {
      if (amount > node.allocatable(name) - node.requested(name))
        refused.push(`Insufficient ${name}`);
    }
    return refused;
  };
}

/** The share of cpu and memory that would still be free, on the average of those that the node has. */
export function leastAllocatedScores({ guessed }: PodInfo, nodes: readonly NodeInfo[]): number[] {
  return nodes.map((node) => {
    const shares: number[] = [];
    for (const name of ["cpu", "memory"]) {
      const total = node.allocatable(name);
      if (total === 0) continue;
      const free = total - node.guessed(name) - (guessed.get(name) ?? 0);
      shares.push(free < 0 ? 0 : Math.trunc((free * MAX_SCORE) / total));
    }
    const sum = shares.reduce((a, b) => a + b, 0);
    return shares.length === 0 ? 0 : Math.trunc(sum / shares.length);
  });
}
