// The statuses that a simulated node gives to its pods.

import type { ContainerStatus, Pod, PodCondition, PodStatus } from "../../api/types.ts";

export function isReady({ status }: Pod): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: is }) => type === "Ready" && is === "True",
  );
}

export function started(
  pod: Pod,
  { now, address }: { readonly now: string; readonly address: string },
): PodStatus {
  return {
    ...pod.status,
    phase: "Running",
    startTime: pod.status.startTime ?? now,
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: withReadiness(pod, "False", now),
    containerStatuses: containersOf(pod, { isReady: false, restarts: 0, startedAt: now }),
  };
}

export function ready(pod: Pod, now: string): PodStatus {
  return {
    ...pod.status,
    conditions: withReadiness(pod, "True", now),
    containerStatuses: containersOf(pod, {
      isReady: true,
      restarts: restartsOf(pod),
      startedAt: now,
    }),
  };
}

/** A container has ended and was started again. */
export function crashed(pod: Pod, now: string): PodStatus {
  const restarts = restartsOf(pod) + 1;
  return {
    ...pod.status,
    conditions: withReadiness(pod, "False", now),
    containerStatuses: containersOf(pod, { isReady: false, restarts, startedAt: now }),
  };
}

/** It is over for good. */
export function ended(
  pod: Pod,
  { now, phase }: { readonly now: string; readonly phase: "Succeeded" | "Failed" },
): PodStatus {
  return { ...pod.status, phase, conditions: withReadiness(pod, "False", now) };
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

function withReadiness({ status }: Pod, is: "True" | "False", now: string): PodCondition[] {
  const before = status.conditions ?? [];
  const types = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
  return types.map((type) => {
    const wanted = type === "ContainersReady" || type === "Ready" ? is : "True";
    const held = before.find((one) => one.type === type);
    if (held?.status === wanted) return held;
    return { type, status: wanted, lastProbeTime: null, lastTransitionTime: now };
  });
}

function containersOf(
  { spec }: Pod,
  as: { readonly isReady: boolean; readonly restarts: number; readonly startedAt: string },
): ContainerStatus[] {
  return (spec.containers ?? []).map(({ name, image = "" }) => ({
    name,
    image,
    imageID: `sim://${image}`,
    ready: as.isReady,
    started: true,
    restartCount: as.restarts,
    state: { running: { startedAt: as.startedAt } },
    lastState: {},
  }));
}
