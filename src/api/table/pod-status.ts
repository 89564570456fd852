// What a person wants to know of a pod in one line: how many containers are ready, one word for its state, and how
// often it was restarted. The word comes from the container that stands out, and init containers come first.

import { ageOf, timestampMs } from "../duration.ts";
import type { ContainerStatus, Pod, PodStatus } from "../types.ts";
import { isConditionTrue } from "./cell-texts.ts";

export interface PodSummary {
  readonly pod: Pod;
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  /** "2 (3d4h ago)" */
  readonly restarts: string;
}

interface Restarts {
  count: number;
  lastMs: number | undefined;
}

interface Progress {
  ready: number;
  reason: string;
  restarts: Restarts;
}

interface InitProgress extends Progress {
  /** An init container is still to be done, or failed. */
  initializing: boolean;
  ofSidecars: Restarts;
}

export function podSummary(pod: Pod, nowMs: number): PodSummary {
  const sidecars = (pod.spec?.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  const { ready, reason, restarts } = progressOf(pod, new Set(sidecars.map(({ name }) => name)));
  return {
    pod,
    ready,
    total: (pod.spec?.containers?.length ?? 0) + sidecars.length,
    status: deletionReason(pod) ?? reason,
    restarts: restartsText(restarts, nowMs),
  };
}

function progressOf(pod: Pod, sidecars: ReadonlySet<string>): Progress {
  const status = pod.status ?? {};
  const progress = initProgressOf(pod, sidecars);
  if (!progress.initializing || isConditionTrue(status.conditions, "Initialized")) {
    progress.restarts = progress.ofSidecars;
    addContainers(progress, status.containerStatuses ?? []);
    if (progress.reason === "Completed") progress.reason = completedReason(status);
  }
  return progress;
}

function initProgressOf(pod: Pod, sidecars: ReadonlySet<string>): InitProgress {
  const status = pod.status ?? {};
  const progress: InitProgress = {
    ready: 0,
    reason: phaseReason(status),
    restarts: noRestarts(),
    initializing: false,
    ofSidecars: noRestarts(),
  };
  for (const [index, container] of (status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(container.name);
    countRestarts(progress.restarts, container);
    if (sidecar) countRestarts(progress.ofSidecars, container);
    if (!isPast(container, sidecar)) {
      const turn = `${index}/${pod.spec?.initContainers?.length ?? 0}`;
      progress.reason = `Init:${initReason(container) ?? turn}`;
      progress.initializing = true;
      break;
    }
    if (!hasSucceeded(container) && container.ready) progress.ready++;
  }
  return progress;
}

/** The next init container may start: this one has ended well, or is a sidecar that has started. */
function isPast(container: ContainerStatus, sidecar: boolean): boolean {
  return hasSucceeded(container) || (sidecar && container.started === true);
}

function hasSucceeded({ state }: ContainerStatus): boolean {
  return state?.terminated !== undefined && state.terminated.exitCode === 0;
}

function phaseReason(status: PodStatus): string {
  const gated = status.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  if (gated === true) return "SchedulingGated";
  return status.reason || status.phase || "";
}

/** Undefined for an init container that is only waiting for its turn, or running. */
function initReason(container: ContainerStatus): string | undefined {
  if (container.state?.terminated !== undefined) return terminationReason(container);
  const waiting = waitingReason(container);
  return waiting === "PodInitializing" ? undefined : waiting;
}

/** From the last to the first, so that the first container with something to say has the last word. */
function addContainers(progress: Progress, containers: readonly ContainerStatus[]): void {
  for (const container of containers.toReversed()) {
    countRestarts(progress.restarts, container);
    const ended =
      container.state?.terminated === undefined ? undefined : terminationReason(container);
    progress.reason = waitingReason(container) ?? ended ?? progress.reason;
    if (isRunning(container)) progress.ready++;
  }
}

/** Some containers are done; the pod is what the others are. */
function completedReason({ conditions, containerStatuses = [] }: PodStatus): string {
  const running = containerStatuses.some(isRunning);
  if (running && isConditionTrue(conditions, "Ready")) return "Running";
  const failed = containerStatuses.find(
    (container) => waitingReason(container) === undefined && hasFailed(container),
  );
  if (failed !== undefined) return terminationReason(failed);
  return running ? "NotReady" : "Completed";
}

function isRunning(container: ContainerStatus): boolean {
  const { waiting, terminated, running } = container.state ?? {};
  const busy = (waiting?.reason ?? "") !== "" || terminated !== undefined;
  return !busy && container.ready && running !== undefined;
}

function waitingReason({ state }: ContainerStatus): string | undefined {
  return state?.waiting?.reason || undefined;
}

function hasFailed({ state }: ContainerStatus): boolean {
  return state?.terminated !== undefined && state.terminated.exitCode !== 0;
}

function terminationReason(container: ContainerStatus): string {
  const { reason, signal } = container.state?.terminated ?? {};
  if (reason !== undefined && reason !== "") return reason;
  if (signal !== undefined && signal !== 0) return `Signal:${signal}`;
  return `ExitCode:${container.state?.terminated?.exitCode ?? 0}`;
}

function deletionReason(pod: Pod): string | undefined {
  if (pod.metadata?.deletionTimestamp === undefined) return undefined;
  if (pod.status?.reason === "NodeLost") return "Unknown";
  const phase = pod.status?.phase;
  return phase === "Failed" || phase === "Succeeded" ? undefined : "Terminating";
}

function noRestarts(): Restarts {
  return { count: 0, lastMs: undefined };
}

function countRestarts(restarts: Restarts, container: ContainerStatus): void {
  restarts.count += container.restartCount ?? 0;
  const finishedMs = timestampMs(container.lastState?.terminated?.finishedAt);
  if (finishedMs !== undefined && finishedMs > (restarts.lastMs ?? Number.NEGATIVE_INFINITY)) {
    restarts.lastMs = finishedMs;
  }
}

function restartsText({ count, lastMs }: Restarts, nowMs: number): string {
  if (count === 0 || lastMs === undefined) return `${count}`;
  return `${count} (${ageOf(new Date(lastMs).toISOString(), nowMs)} ago)`;
}
