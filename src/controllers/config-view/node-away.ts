// What the view of a pod says when its node cannot be asked: every use that has no other drift gets NodeAway. Pure.

import { microTime } from "../../api/api-time.ts";
import type { ApiObject } from "../../api/object.ts";
import type { ConfigUse, ConfigView, Drift } from "../../api/types.ts";
import { type NodeObject, nodeCondition } from "../node/node-objects.ts";

export type ViewObject = ConfigView & ApiObject;

export interface Absence {
  /** ISO time; undefined if the node is gone and nobody knows since when. */
  readonly since: string | undefined;
  readonly message: string;
}

/**
 * Undefined while the node can be asked. A node that says itself that it is not ready answers, so its views are as true as ever: only one
 * that is silent (Ready is Unknown), has never said anything, or is deleted is away.
 */
export function absenceOf(name: string, node: NodeObject | undefined): Absence | undefined {
  if (node === undefined) {
    const message = `node ${name} does not exist any more: what the pod has cannot be known; delete the pod, or let the node join again`;
    return { since: undefined, message };
  }
  const ready = nodeCondition(node, "Ready");
  if (ready?.status === "True" || ready?.status === "False") return undefined;
  const since = ready?.lastTransitionTime ?? node.metadata.creationTimestamp ?? "";
  const message = `node ${name} has not been heard of${since === "" ? "" : ` since ${since}`}: what the pod has now cannot be known; bring the node back, or delete it so that its pods are replaced`;
  return { since, message };
}

/** Undefined if it says so already. */
export function markedAway(
  view: ViewObject,
  absence: Absence,
  nowMs: number,
): ViewObject | undefined {
  const since = timeOf(absence.since) ?? microTime(nowMs);
  let isChanged = false;
  const uses = view.uses?.map((use): ConfigUse => {
    const drift = awayDrift(use.drift, { message: absence.message, since });
    if (drift === undefined) return use;
    isChanged = true;
    return { ...use, drift };
  });
  return isChanged && uses !== undefined ? ({ ...view, uses } as ViewObject) : undefined;
}

/** Undefined: as it is, it is right. The time stays when the words change. */
function awayDrift(
  drift: Drift | undefined,
  { message, since }: { readonly message: string; readonly since: string },
): Drift | undefined {
  if (drift === undefined) return { reason: "NodeAway", message, since };
  if (drift.reason !== "NodeAway" || drift.message === message) return undefined;
  return { ...drift, message };
}

function timeOf(text: string | undefined): string | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : microTime(ms);
}
