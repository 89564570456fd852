// Where a pod is in its life, from what its containers do. Sidecars keep it pending until they have started, and running as long as
// they run; how they end says nothing. Ephemeral containers do not count.

import type { Container, ContainerStatus, Pod } from "../../api/types.ts";
import { isSidecar, shouldRestart } from "./restart-policy.ts";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

export interface PhaseFacts {
  readonly pod: Pod;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** Nothing will be started any more, and nothing runs. */
  readonly isTerminal: boolean;
}

type Doing =
  | { readonly is: "waiting" }
  | { readonly is: "running"; readonly isStarted: boolean }
  | { readonly is: "ended"; readonly isSuccess: boolean; readonly isFinal: boolean };

export function podPhase({ pod, initStatuses, statuses, isTerminal }: PhaseFacts): Phase {
  const init = pod.spec.initContainers ?? [];
  const steps = init.filter((one) => !isSidecar(one)).map((one) => doing(pod, one, initStatuses));
  const sidecars = init.filter(isSidecar).map((one) => doing(pod, one, initStatuses));
  const regular = (pod.spec.containers ?? []).map((one) => doing(pod, one, statuses));
  if (steps.some((one) => one.is === "ended" && !one.isSuccess && one.isFinal)) return "Failed";
  if (!isTerminal) {
    const isInitialized = regular.some(({ is }) => is !== "waiting");
    const isPending = !areInitialized(steps, isInitialized ? [] : sidecars);
    if (isPending || [...sidecars, ...regular].some(({ is }) => is === "waiting")) return "Pending";
    if ([...sidecars, ...regular].some(({ is }) => is === "running")) return "Running";
    if (regular.some((one) => one.is === "ended" && !one.isFinal)) return "Running";
  }
  const isSuccess =
    regular.length > 0 && regular.every((one) => one.is === "ended" && one.isSuccess);
  return isSuccess ? "Succeeded" : "Failed";
}

function areInitialized(steps: readonly Doing[], sidecars: readonly Doing[]): boolean {
  return (
    steps.every(({ is }) => is === "ended") &&
    sidecars.every((one) => one.is === "ended" || (one.is === "running" && one.isStarted))
  );
}

/** A container that waits to be started again counts as what it was. */
function doing(pod: Pod, container: Container, statuses: readonly ContainerStatus[]): Doing {
  const status = statuses.find(({ name }) => name === container.name);
  if (status?.state.running !== undefined) {
    return { is: "running", isStarted: status.started === true };
  }
  const ended = status?.state.terminated ?? status?.lastState.terminated;
  if (ended === undefined) return { is: "waiting" };
  const isFinal = !shouldRestart(pod, container, ended.exitCode);
  return { is: "ended", isSuccess: ended.exitCode === 0, isFinal };
}
