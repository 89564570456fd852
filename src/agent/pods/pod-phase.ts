// Where a pod is in its life, from what its containers do.

import type { Container, ContainerStatus, Pod } from "../../api/types.ts";
import { shouldRestart } from "./restart-policy.ts";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

export interface PhaseFacts {
  readonly pod: Pod;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** Nothing will be started any more, and nothing runs. */
  readonly isTerminal: boolean;
}

type Doing =
  | { readonly is: "waiting" | "running" }
  | { readonly is: "ended"; readonly isSuccess: boolean; readonly isFinal: boolean };

export function podPhase({ pod, initStatuses, statuses, isTerminal }: PhaseFacts): Phase {
  const init = (pod.spec.initContainers ?? []).map((one) => doing(pod, one, initStatuses));
  if (init.some((one) => one.is === "ended" && !one.isSuccess && one.isFinal)) return "Failed";
  const regular = (pod.spec.containers ?? []).map((one) => doing(pod, one, statuses));
  if (!isTerminal) {
    if ([...init.filter(({ is }) => is !== "ended"), ...regular.filter(isWaiting)].length > 0) {
      return "Pending";
    }
    if (regular.some(({ is }) => is === "running")) return "Running";
    if (regular.some((one) => one.is === "ended" && !one.isFinal)) return "Running";
  }
  const isSuccess =
    regular.length > 0 && regular.every((one) => one.is === "ended" && one.isSuccess);
  return isSuccess ? "Succeeded" : "Failed";
}

function isWaiting({ is }: Doing): boolean {
  return is === "waiting";
}

/** A container that waits to be started again counts as what it was. */
function doing(pod: Pod, container: Container, statuses: readonly ContainerStatus[]): Doing {
  const status = statuses.find(({ name }) => name === container.name);
  if (status?.state.running !== undefined) return { is: "running" };
  const ended = status?.state.terminated ?? status?.lastState.terminated;
  if (ended === undefined) return { is: "waiting" };
  const isFinal = !shouldRestart(pod, container, ended.exitCode);
  return { is: "ended", isSuccess: ended.exitCode === 0, isFinal };
}
