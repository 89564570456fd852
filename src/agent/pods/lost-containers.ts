// What is said in the end of containers whose end nobody saw: they count as failed. Those that never came to their turn still wait.

import type { ContainerStatus, Pod } from "../../api/types.ts";
import { isSidecar } from "./restart-policy.ts";

export const UNKNOWN = "ContainerStatusUnknown";
export const LOST = "The container could not be located when the pod was terminated";

export interface Statuses {
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
}

/** Of a pod of which nothing runs any more. */
export function withLost(pod: Pod, { initStatuses, statuses }: Statuses): Statuses {
  const isInitialized = hasInitialized(pod, { initStatuses, statuses });
  // The first one counts as begun in any case.
  const begun = Math.max(0, initStatuses.findLastIndex(hasMoved));
  return {
    initStatuses: initStatuses.map((one, index) => (index <= begun ? lost(one) : one)),
    statuses: isInitialized ? statuses.map(lost) : statuses,
  };
}

function lost(status: ContainerStatus): ContainerStatus {
  if (status.state.terminated !== undefined) return status;
  const terminated = { exitCode: 137, reason: UNKNOWN, message: LOST };
  return { ...status, state: { terminated }, ready: false };
}

function hasMoved({ state, lastState }: ContainerStatus): boolean {
  return state.waiting === undefined || lastState.terminated !== undefined;
}

function hasInitialized({ spec }: Pod, { initStatuses, statuses }: Statuses): boolean {
  const last = (spec.initContainers ?? []).at(-1);
  if (last === undefined || statuses.some(hasMoved)) return true;
  const status = initStatuses.find(({ name }) => name === last.name);
  if (isSidecar(last)) return status?.state.running !== undefined && status.started === true;
  const ends = [status?.state.terminated, status?.lastState.terminated];
  return ends.some((end) => end?.exitCode === 0);
}
