// What a DaemonSet is when nothing else is said: replaced node by node.

import type { DaemonSet } from "../types.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";

/** Changes the object. */
export function setDaemonSetDefaults({ spec }: DaemonSet): void {
  setPodSpecDefaults(spec.template.spec);
  const { updateStrategy } = spec;
  updateStrategy.type ||= "RollingUpdate";
  if (updateStrategy.type === "RollingUpdate") {
    updateStrategy.rollingUpdate ??= {};
    updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}
