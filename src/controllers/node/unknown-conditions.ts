// What a node's conditions become when it has been silent for too long. What was said last is no longer known to hold.

import type { Node, NodeCondition } from "../../api/types.ts";
import { timestamp } from "./node-objects.ts";

/** Those that the node itself speaks for. */
const TYPES: readonly string[] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** Undefined if nothing changes. */
export function unknownConditions(node: Node, nowMs: number): NodeCondition[] | undefined {
  const at = timestamp(nowMs);
  const held = node.status?.conditions ?? [];
  const isNews = ({ type, status }: NodeCondition): boolean =>
    TYPES.includes(type) && status !== "Unknown";
  const missing = TYPES.filter((type) => !held.some((condition) => condition.type === type));
  if (missing.length === 0 && !held.some(isNews)) return undefined;
  return [
    ...held.map((condition) =>
      isNews(condition)
        ? {
            ...condition,
            status: "Unknown",
            reason: "NodeStatusUnknown",
            message: "Kubelet stopped posting node status.",
            lastTransitionTime: at,
          }
        : condition,
    ),
    ...missing.map((type) => ({
      type,
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: at,
    })),
  ];
}
