import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ContainerStatus, Pod, PodCondition, PodStatus } from "../types.ts";
import { podSummary } from "./pod-status.ts";

const nowMs = Date.parse("2026-01-02T00:00:00Z");

function ago(seconds: number): string {
  return new Date(nowMs - seconds * 1000).toISOString();
}

type State = NonNullable<ContainerStatus["state"]>;

const running: State = { running: { startedAt: ago(60) } };
const done: State = { terminated: { exitCode: 0, reason: "Completed" } };

function container(state: State, rest: Partial<ContainerStatus> = {}): ContainerStatus {
  return {
    name: "c",
    image: "i",
    imageID: "",
    ready: false,
    restartCount: 0,
    lastState: {},
    state,
    ...rest,
  };
}

function waiting(reason: string): ContainerStatus {
  return container({ waiting: { reason } });
}

function ended(exitCode: number, rest: { reason?: string; signal?: number } = {}): ContainerStatus {
  return container({ terminated: { exitCode, ...rest } });
}

function restarted(times: number, seconds: number, state: State = running): ContainerStatus {
  const lastState = { terminated: { exitCode: 1, finishedAt: ago(seconds) } };
  return container(state, { ready: true, restartCount: times, lastState });
}

function condition(type: string, status: string, reason?: string): PodCondition {
  return { type, status, ...(reason !== undefined && { reason }) };
}

interface PodOptions {
  /** Names of init containers; those with a star are sidecars. */
  readonly init?: readonly string[];
  readonly containers?: number;
  readonly deleted?: boolean;
}

function pod(status: Partial<PodStatus>, options: PodOptions = {}): Pod {
  const { init = [], containers = status.containerStatuses?.length ?? 1, deleted } = options;
  return {
    metadata: { name: "p", ...(deleted === true && { deletionTimestamp: ago(1) }) },
    spec: {
      containers: Array.from({ length: containers }, (_, i) => ({ name: `c${i}`, resources: {} })),
      initContainers: init.map((name) => ({
        name: name.replace("*", ""),
        resources: {},
        ...(name.includes("*") && { restartPolicy: "Always" }),
      })),
    },
    status: { phase: "Running", ...status },
  };
}

/** "ready/total status restarts" */
function line(of: Pod): string {
  const { ready, total, status, restarts } = podSummary(of, nowMs);
  return `${ready}/${total} ${status} ${restarts}`;
}

function inits(...statuses: readonly ContainerStatus[]): ContainerStatus[] {
  return statuses.map((status, i) => ({ ...status, name: `i${i}` }));
}

describe("a pod's line", () => {
  for (const [name, of, expected] of [
    [
      "counts ready containers",
      pod({ containerStatuses: [container(running, { ready: true }), container({})] }),
      "1/2 Running 0",
    ],
    ["has the phase without statuses", pod({ phase: "Pending" }), "0/1 Pending 0"],
    [
      "prefers the reason to the phase",
      pod({ phase: "Failed", reason: "Evicted" }),
      "0/1 Evicted 0",
    ],
    [
      "says what a container waits for",
      pod({ containerStatuses: [waiting("CrashLoopBackOff")] }),
      "0/1 CrashLoopBackOff 0",
    ],
    [
      "lets the first container speak",
      pod({ containerStatuses: [waiting("A"), ended(1, { reason: "B" })] }),
      "0/2 A 0",
    ],
    ["names a signal", pod({ containerStatuses: [ended(137, { signal: 9 })] }), "0/1 Signal:9 0"],
    ["names an exit code", pod({ containerStatuses: [ended(3)] }), "0/1 ExitCode:3 0"],
    [
      "is completed when all is done",
      pod({ phase: "Succeeded", containerStatuses: [container(done)] }),
      "0/1 Completed 0",
    ],
    [
      "is not ready when one is done",
      pod({ containerStatuses: [container(done), container(running, { ready: true })] }),
      "1/2 NotReady 0",
    ],
    [
      "is running when one is done and the pod is ready",
      pod({
        containerStatuses: [container(done), container(running, { ready: true })],
        conditions: [condition("Ready", "True")],
      }),
      "1/2 Running 0",
    ],
    [
      "tells of a failure among those that are done",
      pod({ containerStatuses: [container(done), ended(1, { reason: "podCrash" })] }),
      "0/2 podCrash 0",
    ],
    [
      "is gated",
      pod({
        phase: "Pending",
        conditions: [condition("PodScheduled", "False", "SchedulingGated")],
      }),
      "0/1 SchedulingGated 0",
    ],
    [
      "is terminating when deleted",
      pod({ containerStatuses: [container(running)] }, { deleted: true }),
      "0/1 Terminating 0",
    ],
    [
      "has ended although deleted",
      pod({ phase: "Succeeded", containerStatuses: [container(done)] }, { deleted: true }),
      "0/1 Completed 0",
    ],
    [
      "is unknown when deleted on a lost node",
      pod({ reason: "NodeLost" }, { deleted: true }),
      "0/1 Unknown 0",
    ],
    [
      "tells of the latest restart",
      pod({ containerStatuses: [restarted(6, 5 * 86400), restarted(3, 20 * 86400)] }),
      "2/2 Running 9 (5d ago)",
    ],
    [
      "tells how long ago a restart was",
      pod({ containerStatuses: [restarted(2, 318 * 86400)] }),
      "1/1 Running 2 (318d ago)",
    ],
  ] as const) {
    test(name, () => assert.equal(line(of), expected));
  }

  for (const [name, of, expected] of [
    [
      "counts init containers that are done",
      pod(
        { phase: "Pending", initContainerStatuses: inits(ended(0), container(running)) },
        { init: ["i0", "i1"] },
      ),
      "0/1 Init:1/2 0",
    ],
    [
      "says why an init container waits",
      pod(
        { phase: "Pending", initContainerStatuses: inits(waiting("ImagePullBackOff")) },
        { init: ["i0"], containers: 2 },
      ),
      "0/2 Init:ImagePullBackOff 0",
    ],
    [
      "does not repeat that the pod initializes",
      pod(
        { phase: "Pending", initContainerStatuses: inits(waiting("PodInitializing")) },
        { init: ["i0"] },
      ),
      "0/1 Init:0/1 0",
    ],
    [
      "says how an init container failed",
      pod(
        { phase: "Pending", initContainerStatuses: inits(ended(2, { reason: "Error" })) },
        { init: ["i0"] },
      ),
      "0/1 Init:Error 0",
    ],
    [
      "names the signal that ended an init container",
      pod(
        { phase: "Pending", initContainerStatuses: inits(ended(137, { signal: 9 })) },
        { init: ["i0"] },
      ),
      "0/1 Init:Signal:9 0",
    ],
    [
      "names the exit code of an init container",
      pod({ phase: "Pending", initContainerStatuses: inits(ended(4)) }, { init: ["i0"] }),
      "0/1 Init:ExitCode:4 0",
    ],
    [
      "sums restarts of init containers while they run",
      pod(
        {
          phase: "Pending",
          initContainerStatuses: inits(
            restarted(2, 120, { terminated: { exitCode: 0 } }),
            restarted(3, 10),
          ),
        },
        { init: ["i0", "i1"] },
      ),
      "0/1 Init:1/2 5 (10s ago)",
    ],
    [
      "forgets restarts of init containers that are done",
      pod(
        {
          initContainerStatuses: inits(restarted(2, 120, { terminated: { exitCode: 0 } })),
          containerStatuses: [restarted(4, 20)],
        },
        { init: ["i0"] },
      ),
      "1/1 Running 4 (20s ago)",
    ],
    [
      "counts sidecars among the containers",
      pod(
        {
          initContainerStatuses: inits(
            { ...restarted(3, 10), started: true },
            container(running, { started: true, ready: false }),
          ),
          containerStatuses: [restarted(4, 20)],
          conditions: [condition("Initialized", "True")],
        },
        { init: ["i0*", "i1*"] },
      ),
      "2/3 Running 7 (10s ago)",
    ],
    [
      "waits for a sidecar to start",
      pod(
        {
          phase: "Pending",
          initContainerStatuses: inits(
            container(running, { started: true }),
            container(running, { started: false }),
          ),
        },
        { init: ["i0*", "i1*"] },
      ),
      "0/3 Init:1/2 0",
    ],
    [
      "looks at the containers once the pod was initialized, whatever its sidecars do",
      pod(
        {
          phase: "Succeeded",
          initContainerStatuses: inits(ended(137, { reason: "Error" })),
          containerStatuses: [container(done)],
          conditions: [condition("Initialized", "True")],
        },
        { init: ["i0*"] },
      ),
      "0/2 Completed 0",
    ],
  ] as const) {
    test(name, () => assert.equal(line(of), expected));
  }
});
