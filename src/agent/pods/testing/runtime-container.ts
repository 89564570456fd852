// Containers as a runtime tells of them, for pure functions.

import type { ContainerEnd, ContainerStatus } from "../../../runtime/runtime.ts";
import { containerHash, notes, type PodContainers, podContainers } from "../pod-containers.ts";
import { testContainer } from "./test-pod.ts";

export interface ContainerWishes {
  readonly attempt?: number;
  readonly exitCode?: number;
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  readonly backoffMs?: number;
  readonly image?: string;
  readonly isUnknown?: boolean;
}

/** It runs unless there is an exit code. */
export function runtimeContainer(name: string, wishes: ContainerWishes = {}): ContainerStatus {
  const { attempt = 0, exitCode, startedAtMs = 0, finishedAtMs = 1000, backoffMs = 0 } = wishes;
  const { image = "host", isUnknown = false } = wishes;
  const signal = exitCode === 137 ? 9 : undefined;
  const end: ContainerEnd | undefined =
    exitCode === undefined ? undefined : { finishedAtMs, exitCode, signal, isUnknown };
  return {
    ...{ id: `${name}-${attempt}`, podUid: "u1", podName: "web", podNamespace: "default" },
    ...{ name, attempt, imageName: image, imageId: `sha256:${image}`, logPath: "/log" },
    annotations: {
      [notes.hash]: containerHash(testContainer(name, image)),
      [notes.backoffMs]: String(backoffMs),
    },
    ...{ startedAtMs, pid: end === undefined ? 1 : undefined, end },
  };
}

export function containersOf(...all: readonly ContainerStatus[]): PodContainers {
  return podContainers(all, "u1");
}
