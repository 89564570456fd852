// Containers as a runtime tells of them, for pure functions.

import type { ContainerEnd, ContainerStatus } from "../../../runtime/runtime.ts";
import type { ProbeFailure } from "../../probes/probes.ts";
import type { Health } from "../container-health.ts";
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
  readonly isOutOfMemory?: boolean;
  readonly bootId?: string;
}

/** It runs unless there is an exit code. */
export function runtimeContainer(name: string, wishes: ContainerWishes = {}): ContainerStatus {
  const { attempt = 0, startedAtMs = 0, backoffMs = 0, image = "host" } = wishes;
  const end = endOf(wishes);
  return {
    ...{ id: `${name}-${attempt}`, podUid: "u1", podName: "web", podNamespace: "default" },
    ...{ name, attempt, imageName: image, imageId: `sha256:${image}`, logPath: "/log" },
    annotations: {
      [notes.hash]: containerHash(testContainer(name, image)),
      [notes.backoffMs]: String(backoffMs),
      ...(wishes.bootId !== undefined && { [notes.bootId]: wishes.bootId }),
    },
    ...{ hasTty: false, stdin: "none", startedAtMs, pid: end === undefined ? 1 : undefined, end },
  };
}

function endOf(wishes: ContainerWishes): ContainerEnd | undefined {
  const { exitCode, finishedAtMs = 1000, isUnknown = false, isOutOfMemory = false } = wishes;
  if (exitCode === undefined) return undefined;
  const signal = exitCode === 137 ? 9 : undefined;
  return { finishedAtMs, exitCode, signal, isUnknown, isOutOfMemory };
}

export function containersOf(...all: readonly ContainerStatus[]): PodContainers {
  return podContainers(all, "u1");
}

/** All have started, are ready and well, but for these, by id. */
export function healthOf(
  wishes: {
    readonly starting?: readonly string[];
    readonly unready?: readonly string[];
    readonly failing?: Readonly<Record<string, ProbeFailure>>;
  } = {},
): Health {
  const { starting = [], unready = [], failing = {} } = wishes;
  return {
    isStarted: (id) => !starting.includes(id),
    isReady: (id) => !starting.includes(id) && !unready.includes(id),
    failure: (id) => failing[id],
  };
}
