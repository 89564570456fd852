// What to do about the containers of a pod: a pure function of what the pod wants, what the runtime has, how that is and the time.
//
// Init containers run one after the other, a sidecar until the pod ends: who follows it begins when it has started. The regular ones
// begin when the last of those is done or has started; what has ended for good stays ended. When nothing regular runs or will run
// the pod is over, whatever sidecars do. After a reboot of the machine it begins at its first init container again.

import type {
  Container,
  EphemeralContainer,
  Pod,
  ContainerStatus as ReportedContainer,
} from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import type { ProbeFailure } from "../probes/probes.ts";
import type { Health } from "./container-health.ts";
import { isChanged, ofThisBoot, type PodContainers, running } from "./pod-containers.ts";
import { isBackedOff, nextBackoffMs, restartDelayMs } from "./restart-backoff.ts";
import { isSidecar, restartsAfterFailure, shouldRestart } from "./restart-policy.ts";

export interface PodFacts {
  readonly pod: Pod;
  readonly containers: PodContainers;
  readonly health: Health;
  /** Of the machine, now. */
  readonly bootId: string;
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
  /** What the pod's containers shared went down with the machine. */
  readonly isSandboxLost: boolean;
  /** Nothing runs that should, and nothing will be started: the pod is over. */
  readonly isDone: boolean;
}

export interface ContainerToStop {
  readonly container: ContainerStatus;
  readonly message: string;
  /** If it is another than the pod's. */
  readonly graceSeconds: number | undefined;
}

export type ContainerKind = "init" | "regular" | "ephemeral";

export interface ContainerToStart {
  readonly container: Container;
  readonly kind: ContainerKind;
  readonly attempt: number;
  /** To be noted on it. */
  readonly backoffMs: number;
}

export interface ContainerToWaitFor {
  readonly container: Container;
  readonly kind: ContainerKind;
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
      graceSeconds: undefined,
    }));
    return { stop, start: [], wait: [], remove: [], isSandboxLost: false, isDone: true };
  }
  const plan = new Plan(facts);
  planEphemeralContainers(plan);
  const progress = plan.isSandboxLost && !startsAnew(plan) ? "over" : planInitContainers(plan);
  if (progress === "done") planContainers(plan);
  return plan.actions(progress);
}

export function stopping({ name }: Pick<ContainerStatus, "name">): string {
  return `Stopping container ${name}`;
}

/** Of the init containers: "over" is failed for good. */
type Progress = "under way" | "done" | "over";

class Plan {
  readonly facts: PodFacts;
  /** Of this boot of the machine. */
  readonly current: PodContainers;
  readonly stop: ContainerToStop[] = [];
  readonly start: ContainerToStart[] = [];
  readonly wait: ContainerToWaitFor[] = [];
  /** Regular containers that run and go on, or will again. */
  kept = 0;

  constructor(facts: PodFacts) {
    this.facts = facts;
    this.current = ofThisBoot(facts.containers, facts.bootId);
  }

  get isSandboxLost(): boolean {
    return this.facts.containers.size > 0 && this.current.size === 0;
  }

  last(name: string): ContainerStatus | undefined {
    return this.facts.containers.get(name)?.[0];
  }

  /** At once if there was none before, or if the last one is forgiven; else when its time has come. */
  startWhenDue(container: Container, kind: ContainerKind): void {
    const last = this.last(container.name);
    const told = attemptsBefore(this.facts.pod, container.name);
    if (last?.end === undefined) {
      this.start.push({ container, kind, attempt: told, backoffMs: 0 });
      return;
    }
    // Those that failed to start are known to the agent that tried, and to the server.
    const attempt = Math.max(last.attempt + 1, told);
    if (!this.current.has(container.name)) {
      this.start.push({ container, kind, attempt, backoffMs: 0 });
      return;
    }
    const delayMs = restartDelayMs(last);
    const { finishedAtMs } = last.end;
    const untilMs = finishedAtMs + delayMs;
    // What ended in the future ended before the clock was set back: nobody knows when, and nobody waits until it is then.
    const hasGoneBack = finishedAtMs > this.facts.nowMs + MAX_SKEW_MS;
    if (untilMs > this.facts.nowMs && !hasGoneBack) {
      this.wait.push({ container, kind, delayMs, untilMs });
    } else {
      const backoffMs = nextBackoffMs(last, this.facts.nowMs);
      this.start.push({ container, kind, attempt, backoffMs });
    }
  }

  replace(container: Container, old: ContainerStatus, kind: ContainerKind): void {
    const message =
      kind === "init"
        ? `Init container ${container.name} definition changed`
        : `Container ${container.name} definition changed, will be restarted`;
    this.stop.push({ container: old, message, graceSeconds: undefined });
    this.start.push({ container, kind, attempt: old.attempt + 1, backoffMs: 0 });
  }

  /** Returns whether it comes back. Who crashes too often waits, as after any other end; that is for the next look at it. */
  stopFailed(container: Container, old: ContainerStatus, failed: Failed): boolean {
    const { kind, failure } = failed;
    const probe = failure.probe.toLowerCase();
    const restarts = restartsAfterFailure(this.facts.pod, container);
    const what = `${kind === "init" ? "Init container" : "Container"} ${container.name}`;
    const promise = kind !== "init" && restarts ? ", will be restarted" : "";
    this.stop.push({
      container: old,
      message: `${what} failed ${probe} probe${promise}`,
      graceSeconds: failure.terminationGracePeriodSeconds,
    });
    const [, older] = this.facts.containers.get(container.name) ?? [];
    const { nowMs } = this.facts;
    if (restarts && !isBackedOff(old, older, nowMs)) {
      const backoffMs = nextBackoffMs(old, nowMs);
      this.start.push({ container, kind, attempt: old.attempt + 1, backoffMs });
    }
    return restarts;
  }

  actions(progress: Progress): PodActions {
    const { stop, start, wait, kept, isSandboxLost } = this;
    const remove = superseded(this.facts.containers);
    const isRegular = ({ kind }: { readonly kind: ContainerKind }): boolean => kind === "regular";
    const isIdle = kept === 0 && !start.some(isRegular) && !wait.some(isRegular);
    if (progress === "over" || (progress === "done" && isIdle)) {
      return { stop: [], start: [], wait: [], remove, isSandboxLost: false, isDone: true };
    }
    return { stop, start, wait, remove, isSandboxLost, isDone: false };
  }
}

interface Failed {
  readonly kind: ContainerKind;
  readonly failure: ProbeFailure;
}

/** Whether a pod whose machine went down begins again, or was over then. */
function startsAnew({ facts: { pod, containers } }: Plan): boolean {
  if (pod.spec.restartPolicy === "Never") return false;
  const regular = pod.spec.containers ?? [];
  const hadBegun = regular.some(({ name }) => containers.has(name));
  return !hadBegun || regular.some((one) => isStillWanted(pod, one, containers.get(one.name)?.[0]));
}

function isStillWanted(pod: Pod, container: Container, last: ContainerStatus | undefined): boolean {
  return last?.end === undefined || shouldRestart(pod, container, last.end.exitCode);
}

/** Never a second time: who debugs with them decides when one is needed. */
function planEphemeralContainers(plan: Plan): void {
  const { pod, containers } = plan.facts;
  if (plan.isSandboxLost) return;
  for (const container of pod.spec.ephemeralContainers ?? []) {
    if (containers.has(container.name) || wasThere(pod, container)) continue;
    plan.start.push({ container, kind: "ephemeral", attempt: 0, backoffMs: 0 });
  }
}

function wasThere({ status }: Pod, { name }: EphemeralContainer): boolean {
  const before = (status.ephemeralContainerStatuses ?? []).find((one) => one.name === name);
  return (before?.containerID ?? "") !== "";
}

/** The last of them that was ever started says how far it is: earlier ones may have been removed. */
function planInitContainers(plan: Plan): Progress {
  const { pod } = plan.facts;
  const init = pod.spec.initContainers ?? [];
  const isInitialized = (pod.spec.containers ?? []).some(({ name }) => plan.current.has(name));
  const index = init.findLastIndex(({ name }) => plan.current.has(name));
  const before = isInitialized ? init : init.slice(0, Math.max(0, index));
  for (const container of before) if (isSidecar(container)) planSidecar(plan, container);
  if (isInitialized) return "done";
  const reached = init[index];
  const step = reached === undefined ? "done" : planReached(plan, reached);
  if (step !== "done") return step;
  const next = init[index + 1];
  if (next === undefined) return "done";
  plan.startWhenDue(next, "init");
  return "under way";
}

/** Says whether the next one may begin. */
function planReached(plan: Plan, container: Container): Progress {
  const { pod } = plan.facts;
  if (isSidecar(container)) return planSidecar(plan, container) ? "done" : "under way";
  const end = plan.last(container.name)?.end;
  if (end === undefined) return "under way";
  if (end.exitCode === 0 && !end.isOutOfMemory) return "done";
  if (!shouldRestart(pod, container, end.exitCode)) return "over";
  plan.startWhenDue(container, "init");
  return "under way";
}

/** Keeps it running, and returns whether it has started. */
function planSidecar(plan: Plan, container: Container): boolean {
  const { health } = plan.facts;
  const last = plan.last(container.name);
  if (last === undefined || last.end !== undefined) {
    plan.startWhenDue(container, "init");
    return false;
  }
  const failure = health.failure(last.id);
  const isStarted = health.isStarted(last.id);
  if (isChanged(container, last)) plan.replace(container, last, "init");
  else if (failure !== undefined) plan.stopFailed(container, last, { kind: "init", failure });
  return isStarted;
}

function planContainers(plan: Plan): void {
  const { pod } = plan.facts;
  for (const container of pod.spec.containers ?? []) {
    const last = plan.last(container.name);
    if (last !== undefined && last.end === undefined) {
      planRunning(plan, container, last);
      continue;
    }
    const exitCode = last?.end?.exitCode ?? reportedExitCode(pod, container.name);
    if (exitCode === undefined || shouldRestart(pod, container, exitCode)) {
      plan.startWhenDue(container, "regular");
    }
  }
}

function planRunning(plan: Plan, container: Container, last: ContainerStatus): void {
  const failure = plan.facts.health.failure(last.id);
  if (isChanged(container, last)) plan.replace(container, last, "regular");
  else if (failure === undefined) plan.kept++;
  else if (plan.stopFailed(container, last, { kind: "regular", failure })) plan.kept++;
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
