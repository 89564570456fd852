// Which nodes a DaemonSet wants to be on. A node that took a taint later loses no daemon by it, unless the taint says that pods have
// to leave.

import type { Taint } from "../../api/types.ts";
import { requiredNodes } from "../scheduler/node-affinity.ts";
import { tolerates } from "../scheduler/taints.ts";
import { daemonTolerations } from "./daemon-pod.ts";
import type { DaemonSetObject, NodeObject } from "./daemon-set-object.ts";

export interface Placement {
  /** A pod is to be made there if there is none. */
  readonly shouldRun: boolean;
  /** One that is there may stay. */
  readonly shouldContinue: boolean;
}

const NOWHERE: Placement = { shouldRun: false, shouldContinue: false };

/** Reads the template once, to be asked for each node. */
export function placementOf({ spec }: DaemonSetObject): (node: NodeObject) => Placement {
  const template = spec.template.spec;
  const { nodeName = "" } = template;
  const tolerations = daemonTolerations(template);
  const fits = requiredNodes(template);
  return (node) => {
    if (nodeName !== "" && nodeName !== node.metadata.name) return NOWHERE;
    if (!fits(node)) return NOWHERE;
    const offending = (node.spec.taints ?? []).filter(
      (taint) => keepsAway(taint) && !tolerations.some((one) => tolerates(one, taint)),
    );
    return {
      shouldRun: offending.length === 0,
      shouldContinue: !offending.some(({ effect }) => effect === "NoExecute"),
    };
  };
}

function keepsAway({ effect }: Taint): boolean {
  return effect === "NoSchedule" || effect === "NoExecute";
}
