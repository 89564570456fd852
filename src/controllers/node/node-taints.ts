// The taints that follow from a node's conditions. Those that keep new pods away follow at once; those that drive pods out are
// given only when it was decided that this node's turn has come.

import type { Node, Taint } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { readyStatus, timestamp } from "./node-objects.ts";

const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/** By the type of a condition and its status. Nodes may say whatever they like: a Map has nothing but what is put into it. */
const BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ["Ready False", NOT_READY],
  ["Ready Unknown", UNREACHABLE],
  ["MemoryPressure True", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure True", "node.kubernetes.io/disk-pressure"],
  ["NetworkUnavailable True", "node.kubernetes.io/network-unavailable"],
  ["PIDPressure True", "node.kubernetes.io/pid-pressure"],
]);
const OURS: ReadonlySet<string> = new Set([...BY_CONDITION.values(), UNSCHEDULABLE]);

/** "keep": as they are now, except that one which says the wrong of the two is turned into the other. */
export type Driving = "none" | "give" | "keep";

/** What drives the pods of a node in this state out; undefined if nothing does. */
export function drivingKey(node: Node): string | undefined {
  return BY_CONDITION.get(`Ready ${readyStatus(node)}`);
}

/** Has a taint by which we drive pods out, be it the right one or not. */
export function isDriving({ spec }: Node): boolean {
  return spec?.taints?.some(isOurDriving) === true;
}

/** All taints that the node should have; undefined if it has them. */
export function wantedTaints(node: Node, driving: Driving, nowMs: number): Taint[] | undefined {
  const held = node.spec?.taints ?? [];
  const wanted = [
    ...keepingKeys(node).map((key) => ({ key, effect: "NoSchedule" })),
    ...drivingKeys(node, driving).map((key) => ({ key, effect: "NoExecute" })),
  ];
  const isOurs = (taint: Taint): boolean =>
    isOurDriving(taint) || (taint.effect === "NoSchedule" && OURS.has(taint.key));
  const isWanted = (taint: Taint): boolean => wanted.some((other) => isSame(taint, other));
  const kept = held.filter((taint) => !isOurs(taint) || isWanted(taint));
  const timeAdded = timestamp(nowMs);
  const added = wanted
    .filter((taint) => !held.some((other) => isSame(taint, other)))
    .map((taint) => ({ ...taint, timeAdded }));
  const all = [...kept, ...added];
  return semanticEqual(all, held) ? undefined : all;
}

function keepingKeys({ spec, status }: Node): readonly string[] {
  const keys = (status?.conditions ?? []).flatMap((condition) => {
    const key = BY_CONDITION.get(`${condition.type} ${condition.status}`);
    return key === undefined ? [] : [key];
  });
  return [...new Set(spec?.unschedulable === true ? [...keys, UNSCHEDULABLE] : keys)];
}

function drivingKeys(node: Node, driving: Driving): readonly string[] {
  const key = drivingKey(node);
  const isGiven = driving === "give" || (driving === "keep" && isDriving(node));
  return key !== undefined && isGiven ? [key] : [];
}

function isOurDriving({ key, effect }: Taint): boolean {
  return effect === "NoExecute" && (key === NOT_READY || key === UNREACHABLE);
}

function isSame(taint: Taint, other: Taint): boolean {
  return taint.key === other.key && taint.effect === other.effect;
}
