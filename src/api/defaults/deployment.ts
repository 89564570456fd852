// What a Deployment is when nothing else is said: one pod, replaced step by step.

import type { Deployment } from "../types.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";

/** Changes the object. */
export function setDeploymentDefaults({ spec }: Deployment): void {
  setPodSpecDefaults(spec.template.spec);
  const { strategy } = spec;
  spec.replicas ??= 1;
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= "25%";
    strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}
