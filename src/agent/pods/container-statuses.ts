// What a pod's status says of its containers, from what the runtime has, why others wait, and what was said before.

import { apiTime } from "../../api/api-time.ts";
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  Pod,
  ContainerStatus as ReportedContainer,
  VolumeMountStatus,
} from "../../api/types.ts";
import type { ContainerEnd, ContainerStatus } from "../../runtime/runtime.ts";
import type { Health } from "./container-health.ts";
import { LOST, UNKNOWN } from "./lost-containers.ts";
import { notes, type PodContainers } from "./pod-containers.ts";
import { isSidecar, shouldRestart } from "./restart-policy.ts";
import { cutToBytes, messageBytes } from "./termination-message.ts";

/** Why a container is not there: "CrashLoopBackOff". */
export interface WaitingReason {
  readonly reason: string;
  readonly message: string;
}

export interface ContainerFacts {
  readonly pod: Pod;
  readonly containers: PodContainers;
  /** By container. */
  readonly reasons: ReadonlyMap<string, WaitingReason>;
  readonly health: Health;
  /** What a container that has ended left to say, by its id. */
  readonly messages: ReadonlyMap<string, string>;
}

const LOST_RUNNING =
  "The container could not be located when the pod was deleted.  The container used to be Running";
const INITIALIZED =
  "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally";

const NOTHING: ReadonlyMap<string, WaitingReason> = new Map();

export function initContainerStatuses(
  facts: ContainerFacts,
  before: readonly ReportedContainer[],
): ReportedContainer[] {
  const { pod, containers } = facts;
  const isInitialized = (pod.spec.containers ?? []).some(({ name }) => containers.has(name));
  return (pod.spec.initContainers ?? []).map((container) => {
    const isForgotten = isInitialized && !containers.has(container.name);
    const hasSucceeded = containers.get(container.name)?.[0]?.end?.exitCode === 0;
    const asked = hasSucceeded ? { ...facts, reasons: NOTHING } : facts;
    if (isSidecar(container)) return runningStatus(asked, container, find(before, container));
    const status = statusOf(asked, container, find(before, container));
    if (isForgotten && status.state.waiting !== undefined) {
      const message = INITIALIZED;
      status.state = { terminated: { exitCode: 0, reason: "Completed", message } };
    }
    return { ...status, ready: status.state.terminated?.exitCode === 0 };
  });
}

export function regularContainerStatuses(
  facts: ContainerFacts,
  before: readonly ReportedContainer[],
): ReportedContainer[] {
  const all = (facts.pod.spec.containers ?? []).map((container) =>
    runningStatus(facts, container, find(before, container)),
  );
  return all.toSorted(byName);
}

/** They are there to look around with, and never ready. */
export function ephemeralContainerStatuses(
  facts: ContainerFacts,
  before: readonly ReportedContainer[],
): ReportedContainer[] {
  const all = (facts.pod.spec.ephemeralContainers ?? []).map((container) => {
    const isThere = facts.containers.has(container.name);
    const asked = isThere ? { ...facts, reasons: NOTHING } : facts;
    const { started: _, ...status } = statusOf(asked, container, find(before, container));
    return status;
  });
  return all.toSorted(byName);
}

function byName(a: ReportedContainer, b: ReportedContainer): number {
  return a.name < b.name ? -1 : 1;
}

/** Of a container that is meant to run: its probes say how it is. */
function runningStatus(
  facts: ContainerFacts,
  container: Container,
  before: ReportedContainer | undefined,
): ReportedContainer {
  const status = statusOf(facts, container, before);
  const { id = "" } = facts.containers.get(container.name)?.[0] ?? {};
  return { ...status, ready: status.started === true && facts.health.isReady(id) };
}

function find(
  all: readonly ReportedContainer[],
  { name }: Container,
): ReportedContainer | undefined {
  return all.find((one) => one.name === name);
}

function statusOf(
  facts: ContainerFacts,
  container: Container,
  before: ReportedContainer | undefined,
): ReportedContainer {
  const [last, older] = facts.containers.get(container.name) ?? [];
  const status =
    last === undefined
      ? unseen(facts.pod, container, before)
      : seen(facts, { container, last, lastState: lastState(facts, { older, before, last }) });
  wait(facts, container, status);
  const isStarted = last !== undefined && facts.health.isStarted(last.id);
  return { ...status, started: status.state.running !== undefined && isStarted };
}

/** What shall be started and cannot be says why, and what it was before is its last state. */
function wait(
  { pod, reasons }: ContainerFacts,
  container: Container,
  status: ReportedContainer,
): void {
  const why = reasons.get(container.name);
  const { running, terminated } = status.state;
  if (why === undefined || running !== undefined) return;
  if (terminated !== undefined) {
    if (!shouldRestart(pod, container, terminated.exitCode)) return;
    status.lastState = status.state;
  }
  const { reason, message } = why;
  status.state = { waiting: { reason, ...(message !== "" && { message }) } };
}

/** The runtime has none of this name. */
function unseen(
  pod: Pod,
  container: Container,
  before: ReportedContainer | undefined,
): ReportedContainer {
  if (before?.state.terminated !== undefined) return { ...before };
  const isFirst = (pod.spec.initContainers ?? []).length === 0;
  return {
    name: container.name,
    state: { waiting: { reason: isFirst ? "ContainerCreating" : "PodInitializing" } },
    ...past(pod, before),
    ready: false,
    image: container.image ?? "",
    imageID: "",
    ...volumeMounts(container),
  };
}

/** One that ran and is not there any more has ended somehow. */
function past(
  { metadata }: Pod,
  before: ReportedContainer | undefined,
): Pick<ReportedContainer, "lastState" | "restartCount"> {
  if (before === undefined) return { lastState: {}, restartCount: 0 };
  const { state, lastState, restartCount } = before;
  if (state.running === undefined || lastState.terminated !== undefined) {
    return { lastState, restartCount };
  }
  const isDeleted = metadata.deletionTimestamp !== undefined;
  return {
    lastState: { terminated: { exitCode: 137, reason: UNKNOWN, message: LOST_RUNNING } },
    restartCount: isDeleted ? restartCount : restartCount + 1,
  };
}

interface SeenContainer {
  readonly container: Container;
  readonly last: ContainerStatus;
  readonly lastState: ContainerState;
}

function seen(
  facts: ContainerFacts,
  { container, last, lastState: before }: SeenContainer,
): ReportedContainer {
  return {
    name: last.name,
    state: stateOf(facts, last),
    lastState: before,
    ready: false,
    restartCount: last.attempt,
    image: last.imageName,
    imageID: last.imageId,
    containerID: containerId(last),
    ...volumeMounts(container),
  };
}

function lastState(
  facts: ContainerFacts,
  of: {
    readonly older: ContainerStatus | undefined;
    readonly before: ReportedContainer | undefined;
    readonly last: ContainerStatus;
  },
): ContainerState {
  const { older, before, last } = of;
  if (older !== undefined) return stateOf(facts, older);
  if (before === undefined) return {};
  const isOther = before.containerID !== containerId(last) && before.state.terminated !== undefined;
  return isOther ? before.state : before.lastState;
}

function containerId({ id }: ContainerStatus): string {
  return `driftless://${id}`;
}

function stateOf({ pod, messages }: ContainerFacts, container: ContainerStatus): ContainerState {
  const { end, startedAtMs, annotations } = container;
  const hasStarted = annotations[notes.startError] === undefined;
  const startedAt = apiTime(hasStarted ? startedAtMs : 0);
  if (end === undefined) return { running: { startedAt } };
  const message = cutToBytes(messages.get(container.id) ?? "", messageBytes(pod));
  const terminated: ContainerStateTerminated = {
    exitCode: end.exitCode,
    ...(end.signal !== undefined && { signal: end.signal }),
    reason: hasStarted ? reasonOf(end) : "StartError",
    ...(message !== "" && { message }),
    startedAt,
    finishedAt: apiTime(end.finishedAtMs),
    containerID: containerId(container),
  };
  if (end.isUnknown) Object.assign(terminated, { reason: UNKNOWN, message: LOST });
  return { terminated };
}

function reasonOf({ exitCode, isOutOfMemory }: ContainerEnd): string {
  if (isOutOfMemory) return "OOMKilled";
  return exitCode === 0 ? "Completed" : "Error";
}

function volumeMounts({
  volumeMounts: mounts,
}: Container): Pick<ReportedContainer, "volumeMounts"> {
  if (mounts === undefined || mounts.length === 0) return {};
  return {
    volumeMounts: mounts.map(({ name, mountPath, readOnly }): VolumeMountStatus => {
      if (readOnly !== true) return { name, mountPath };
      return { name, mountPath, readOnly, recursiveReadOnly: "Disabled" };
    }),
  };
}
