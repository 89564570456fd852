// What to do about the containers of a pod: a pure function of what the pod wants, what the runtime has and the time. Init
// containers run one after the other; the regular ones begin when the last of those has succeeded; what has ended for good
// stays ended.

import type { Container, Pod, ContainerStatus as ReportedContainer } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { isChanged, type PodContainers, running } from "./pod-containers.ts";
import { nextBackoffMs, restartDelayMs } from "./restart-backoff.ts";
import { shouldRestart } from "./restart-policy.ts";

export interface PodFacts {
  readonly pod: Pod;
  readonly containers: PodContainers;
  readonly nowMs: number;
}

export interface PodActions {
  /** First these, side by side. */
  readonly stop: readonly ContainerToStop[];
  /** Then these, in this order. */
  readonly start: readonly ContainerToStart[];
  /** These would be started, but not yet. */
  readonly wait: readonly ContainerToWaitFor[];
  /** Nobody will ask for them again. */
  readonly remove: readonly ContainerStatus[];
  /** Nothing runs that should, and nothing will be started: the pod is over. */
  readonly isDone: boolean;
}

export interface ContainerToStop {
  readonly container: ContainerStatus;
  readonly message: string;
}

export interface ContainerToStart {
  readonly container: Container;
  readonly isInit: boolean;
  readonly attempt: number;
  /** To be noted on it. */
  readonly backoffMs: number;
}

export interface ContainerToWaitFor {
  readonly container: Container;
  readonly isInit: boolean;
  readonly delayMs: number;
  readonly untilMs: number;
}

/** The one who notes the end of a container and the one who reads it look at the same clock. */
const MAX_SKEW_MS = 1000;

export function isOver(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

export function podActions(facts: PodFacts): PodActions {
  const { pod, containers } = facts;
  if (isOver(pod.status.phase) || pod.metadata.deletionTimestamp !== undefined) {
    const stop = running(containers).map((container) => ({
      container,
      message: stopping(container),
    }));
    return { stop, start: [], wait: [], remove: [], isDone: true };
  }
  const plan = new Plan(facts);
  if (planInitContainers(plan)) planContainers(plan);
  return plan.actions();
}

export function stopping({ name }: Pick<ContainerStatus, "name">): string {
  return `Stopping container ${name}`;
}

class Plan {
  readonly facts: PodFacts;
  readonly stop: ContainerToStop[] = [];
  readonly start: ContainerToStart[] = [];
  readonly wait: ContainerToWaitFor[] = [];
  /** Containers that run and go on. */
  kept = 0;

  constructor(facts: PodFacts) {
    this.facts = facts;
  }

  last(name: string): ContainerStatus | undefined {
    return this.facts.containers.get(name)?.[0];
  }

  /** At once if there was none before, or if the last one is forgiven; else when its time has come. */
  startWhenDue(container: Container, isInit: boolean): void {
    const last = this.last(container.name);
    if (last?.end === undefined) {
      const attempt = attemptsBefore(this.facts.pod, container.name);
      this.start.push({ container, isInit, attempt, backoffMs: 0 });
      return;
    }
    const delayMs = restartDelayMs(last);
    const { finishedAtMs } = last.end;
    const untilMs = finishedAtMs + delayMs;
    // What ended in the future ended before the clock was set back: nobody knows when, and nobody waits until it is then.
    const hasGoneBack = finishedAtMs > this.facts.nowMs + MAX_SKEW_MS;
    if (untilMs > this.facts.nowMs && !hasGoneBack) {
      this.wait.push({ container, isInit, delayMs, untilMs });
    } else {
      const backoffMs = nextBackoffMs(last);
      this.start.push({ container, isInit, attempt: last.attempt + 1, backoffMs });
    }
  }

  replace(container: Container, old: ContainerStatus): void {
    const message = `Container ${container.name} definition changed, will be restarted`;
    this.stop.push({ container: old, message });
    this.start.push({ container, isInit: false, attempt: old.attempt + 1, backoffMs: 0 });
  }

  actions(): PodActions {
    const { stop, start, wait, kept } = this;
    const isDone = kept === 0 && start.length === 0 && wait.length === 0;
    return { stop, start, wait, remove: superseded(this.facts.containers), isDone };
  }
}

/** Returns whether the regular containers may run. */
function planInitContainers(plan: Plan): boolean {
  const { pod, containers } = plan.facts;
  const init = pod.spec.initContainers ?? [];
  if (init.length === 0) return true;
  if ((pod.spec.containers ?? []).some(({ name }) => containers.has(name))) return true;
  const next = nextInitContainer(plan, init);
  if (next === "none") return true;
  if (next === "current") plan.kept++;
  else if (next !== "failed") plan.startWhenDue(next, true);
  return false;
}

/** The last of them that was ever started says how far it is: earlier ones may have been removed. */
function nextInitContainer(
  plan: Plan,
  init: readonly Container[],
): Container | "current" | "failed" | "none" {
  const { pod, containers } = plan.facts;
  const index = init.findLastIndex(({ name }) => containers.has(name));
  const current = init[index];
  const last = current && plan.last(current.name);
  if (current === undefined || last === undefined) return init[0] ?? "none";
  if (last.end === undefined) return "current";
  const { exitCode } = last.end;
  if (exitCode === 0) return init[index + 1] ?? "none";
  return shouldRestart(pod, current, exitCode) ? current : "failed";
}

function planContainers(plan: Plan): void {
  const { pod } = plan.facts;
  for (const container of pod.spec.containers ?? []) {
    const last = plan.last(container.name);
    if (last !== undefined && last.end === undefined) {
      if (isChanged(container, last)) plan.replace(container, last);
      else plan.kept++;
      continue;
    }
    const exitCode = last?.end?.exitCode ?? reportedExitCode(pod, container.name);
    if (exitCode === undefined || shouldRestart(pod, container, exitCode)) {
      plan.startWhenDue(container, false);
    }
  }
}

/** What the server was told of a container that the runtime has forgotten: what ran once does not run twice. */
function reportedExitCode(pod: Pod, name: string): number | undefined {
  return reported(pod, name)?.state.terminated?.exitCode;
}

function attemptsBefore(pod: Pod, name: string): number {
  const before = reported(pod, name);
  return (before?.containerID ?? "") === "" ? 0 : (before?.restartCount ?? 0) + 1;
}

function reported({ status }: Pod, name: string): ReportedContainer | undefined {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return all.find((one) => one.name === name);
}

/** Of each name the last that ended is kept, for its log and its exit code. */
function superseded(containers: PodContainers): ContainerStatus[] {
  return [...containers.values()].flatMap((all) =>
    all.filter(({ end }) => end !== undefined).slice(1),
  );
}
