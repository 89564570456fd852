// The findings about a pod that its node is responsible for. Those of others are left to them.

import { apiTime } from "../../api/api-time.ts";
import type { ContainerStatus, Pod, PodCondition } from "../../api/types.ts";
import type { Phase } from "./pod-phase.ts";
import { isSidecar } from "./restart-policy.ts";

export interface ConditionFacts {
  readonly pod: Pod;
  readonly phase: Phase;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  readonly hasSandbox: boolean;
  readonly nowMs: number;
}

interface Finding {
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

/** `before` are the conditions as they were: what has not flipped keeps its time. */
export function podConditions(
  facts: ConditionFacts,
  before: readonly PodCondition[],
): PodCondition[] {
  const containersReady = areContainersReady(facts);
  const findings: readonly (readonly [type: string, Finding])[] = [
    ["PodReadyToStartContainers", isReadyToStart(facts)],
    ["Initialized", isInitialized(facts)],
    ["Ready", containersReady.isTrue ? passesGates(facts) : containersReady],
    ["ContainersReady", containersReady],
    ["PodScheduled", { isTrue: true }],
  ];
  const { generation } = facts.pod.metadata;
  return findings.map(([type, { isTrue, reason, message }]) => {
    const status = isTrue ? "True" : "False";
    const old = before.find((one) => one.type === type);
    return {
      type,
      ...(generation !== undefined && { observedGeneration: generation }),
      status,
      lastProbeTime: null,
      lastTransitionTime:
        old?.status === status && typeof old.lastTransitionTime === "string"
          ? old.lastTransitionTime
          : apiTime(facts.nowMs),
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    };
  });
}

function isReadyToStart({ hasSandbox }: ConditionFacts): Finding {
  if (hasSandbox) return { isTrue: true };
  return { isTrue: false, reason: "PodSandboxNotReady", message: "no pod sandbox exists" };
}

function isInitialized({ pod, phase, initStatuses, statuses }: ConditionFacts): Finding {
  if (phase === "Succeeded") return { isTrue: true, reason: "PodCompleted" };
  const hasStarted = statuses.some(
    ({ state }) => (state.running ?? state.terminated) !== undefined,
  );
  const incomplete = (pod.spec.initContainers ?? []).filter((container) => {
    const status = initStatuses.find(({ name }) => name === container.name);
    return (isSidecar(container) ? status?.started : status?.ready) !== true;
  });
  if (incomplete.length === 0 || hasStarted) return { isTrue: true };
  const message = `containers with incomplete status: ${goNames(incomplete)}`;
  return { isTrue: false, reason: "ContainersNotInitialized", message };
}

function areContainersReady({ pod, phase, initStatuses, statuses }: ConditionFacts): Finding {
  if (phase === "Succeeded") return { isTrue: false, reason: "PodCompleted" };
  if (phase === "Failed") return { isTrue: false, reason: "PodFailed" };
  const { initContainers, containers } = pod.spec;
  const wanted = [...(initContainers ?? []).filter(isSidecar), ...(containers ?? [])];
  const all = [...initStatuses, ...statuses];
  const unready = wanted.filter(({ name }) => all.find((one) => one.name === name)?.ready !== true);
  if (unready.length === 0) return { isTrue: true };
  const message = `containers with unready status: ${goNames(unready)}`;
  return { isTrue: false, reason: "ContainersNotReady", message };
}

function passesGates({ pod }: ConditionFacts): Finding {
  const messages = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = (pod.status.conditions ?? []).find(({ type }) => type === conditionType);
    const gate = `pod readiness gate ${JSON.stringify(conditionType)}`;
    if (found === undefined) return [`corresponding condition of ${gate} does not exist.`];
    return found.status === "True"
      ? []
      : [`the status of ${gate} is not "True", but ${found.status}`];
  });
  if (messages.length === 0) return { isTrue: true };
  return { isTrue: false, reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

/** As Go prints a list. */
function goNames(containers: readonly { readonly name: string }[]): string {
  return `[${containers.map(({ name }) => name).join(" ")}]`;
}
