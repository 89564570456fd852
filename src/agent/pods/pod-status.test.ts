import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod, PodStatus } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { podStatus, rejectedStatus, type StatusFacts } from "./pod-status.ts";
import { runtimeContainer as c, containersOf, healthOf } from "./testing/runtime-container.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

const nowMs = Date.UTC(2024, 0, 1);

function statusOf(
  pod: Pod,
  containers: readonly ContainerStatus[],
  more: Partial<StatusFacts> = {},
): PodStatus {
  return podStatus({
    ...{ pod, before: pod.status, containers: containersOf(...containers), reasons: new Map() },
    ...{ health: healthOf(), messages: new Map() },
    ...{ isTerminal: false, verdict: undefined, hasSandbox: true, addresses: ["10.0.0.1"], nowMs },
    ...more,
  });
}

/** "Ready=False ContainersNotReady" */
function conditionsOf({ conditions = [] }: PodStatus): string[] {
  return conditions.map(({ type, status, reason }) => {
    return reason === undefined ? `${type}=${status}` : `${type}=${status} ${reason}`;
  });
}

const spec = (restartPolicy: string): Pod => testPod({ spec: { restartPolicy } });
const withInit = (restartPolicy = "Always"): Pod =>
  testPod({ spec: { restartPolicy, initContainers: [testContainer("i1")] } });
const ok = { exitCode: 0 };
const bad = { exitCode: 1 };

const phases: readonly (readonly [
  name: string,
  pod: Pod,
  containers: readonly ContainerStatus[],
  phase: string,
])[] = [
  ["nothing started", spec("Always"), [], "Pending"],
  ["a container that runs", spec("Always"), [c("app")], "Running"],
  ["a container that will be restarted", spec("Always"), [c("app", bad)], "Running"],
  ["a success that will be restarted", spec("Always"), [c("app", ok)], "Running"],
  ["a success under OnFailure", spec("OnFailure"), [c("app", ok)], "Succeeded"],
  ["a failure under OnFailure", spec("OnFailure"), [c("app", bad)], "Running"],
  ["a success under Never", spec("Never"), [c("app", ok)], "Succeeded"],
  ["a failure under Never", spec("Never"), [c("app", bad)], "Failed"],
  ["an init container that runs", withInit(), [c("i1")], "Pending"],
  ["an init container that failed under Never", withInit("Never"), [c("i1", bad)], "Failed"],
  ["an init container that will be repeated", withInit(), [c("i1", bad)], "Pending"],
  ["an init container that is done", withInit(), [c("i1", ok)], "Pending"],
  ["everything after init", withInit(), [c("i1", ok), c("app")], "Running"],
  ["a pod that was over before", testPod({ status: { phase: "Failed" } }), [c("app")], "Failed"],
];

describe("podStatus", () => {
  for (const [name, pod, containers, phase] of phases) {
    it(`calls a pod with ${name} ${phase}`, () => {
      assert.equal(statusOf(pod, containers).phase, phase);
    });
  }

  it("finds a pod that runs ready, with the node's addresses", () => {
    const pod = testPod({ metadata: { generation: 3 } });
    const status = statusOf(pod, [c("app", { attempt: 2 })]);

    assert.deepEqual(conditionsOf(status), [
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
    assert.equal(status.observedGeneration, 3);
    assert.equal(status.hostIP, "10.0.0.1");
    assert.deepEqual(status.podIPs, [{ ip: "10.0.0.1" }]);
    assert.equal(status.startTime, "2024-01-01T00:00:00Z");
    assert.deepEqual(status.containerStatuses, [
      {
        name: "app",
        state: { running: { startedAt: "1970-01-01T00:00:00Z" } },
        lastState: {},
        ready: true,
        restartCount: 2,
        image: "host",
        imageID: "sha256:host",
        containerID: "driftless://app-2",
        started: true,
      },
    ]);
  });

  it("says what a pod that has not started waits for", () => {
    const status = statusOf(withInit(), [], { hasSandbox: false });

    assert.deepEqual(conditionsOf(status), [
      "PodReadyToStartContainers=False PodSandboxNotReady",
      "Initialized=False ContainersNotInitialized",
      "Ready=False ContainersNotReady",
      "ContainersReady=False ContainersNotReady",
      "PodScheduled=True",
    ]);
    const messages = status.conditions?.flatMap(({ message }) => message ?? []);
    assert.deepEqual(messages, [
      "no pod sandbox exists",
      "containers with incomplete status: [i1]",
      "containers with unready status: [app]",
      "containers with unready status: [app]",
    ]);
    assert.deepEqual(status.containerStatuses?.[0]?.state, {
      waiting: { reason: "PodInitializing" },
    });
  });

  it("finds a pod that succeeded completed", () => {
    const status = statusOf(spec("Never"), [c("app", ok)], { isTerminal: true, hasSandbox: false });

    assert.deepEqual(conditionsOf(status), [
      "PodReadyToStartContainers=False PodSandboxNotReady",
      "Initialized=True PodCompleted",
      "Ready=False PodCompleted",
      "ContainersReady=False PodCompleted",
      "PodScheduled=True",
    ]);
  });

  it("keeps the time of what has not flipped", () => {
    const first = statusOf(testPod(), []);
    const second = statusOf(testPod(), [c("app")], { before: first, nowMs: nowMs + 5000 });
    const times = second.conditions?.map(({ type, lastTransitionTime }) => [
      type,
      lastTransitionTime,
    ]);

    assert.deepEqual(times, [
      ["PodReadyToStartContainers", "2024-01-01T00:00:00Z"],
      ["Initialized", "2024-01-01T00:00:00Z"],
      ["Ready", "2024-01-01T00:00:05Z"],
      ["ContainersReady", "2024-01-01T00:00:05Z"],
      ["PodScheduled", "2024-01-01T00:00:00Z"],
    ]);
    assert.equal(second.startTime, first.startTime);
  });

  it("tells how a container ended, and how the one before it did", () => {
    const killed = c("app", { exitCode: 137, finishedAtMs: 61_000 });
    const [status] =
      statusOf(testPod(), [killed, c("app", { attempt: 1 })]).containerStatuses ?? [];

    assert.deepEqual(status?.lastState, {
      terminated: {
        exitCode: 137,
        signal: 9,
        reason: "Error",
        startedAt: "1970-01-01T00:00:00Z",
        finishedAt: "1970-01-01T00:01:01Z",
        containerID: "driftless://app-0",
      },
    });
  });

  it("shows why a container waits and what it was before, but not of one that has ended for good", () => {
    const reasons = new Map([["app", { reason: "CrashLoopBackOff", message: "back-off" }]]);
    const [waits] = statusOf(spec("Always"), [c("app", bad)], { reasons }).containerStatuses ?? [];
    const [ended] = statusOf(spec("Never"), [c("app", bad)], { reasons }).containerStatuses ?? [];

    assert.deepEqual(waits?.state, {
      waiting: { reason: "CrashLoopBackOff", message: "back-off" },
    });
    assert.equal(waits?.lastState.terminated?.exitCode, 1);
    assert.equal(ended?.state.terminated?.exitCode, 1);
  });

  it("takes a container that ran and is not there any more for ended", () => {
    const before = statusOf(testPod(), [c("app")]);
    const [lost] = statusOf(testPod(), [], { before }).containerStatuses ?? [];
    assert.equal(lost?.lastState.terminated?.reason, "ContainerStatusUnknown");
    assert.equal(lost?.restartCount, 1);

    const final = statusOf(testPod(), [], { before, isTerminal: true });
    assert.equal(final.phase, "Failed");
    assert.equal(final.containerStatuses?.[0]?.state.terminated?.exitCode, 137);
  });

  it("says that an exit code is a guess", () => {
    const guess = c("app", { exitCode: 137, isUnknown: true });
    const [status] = statusOf(spec("Never"), [guess]).containerStatuses ?? [];

    assert.equal(status?.state.terminated?.reason, "ContainerStatusUnknown");
  });

  it("passes a verdict only when nothing runs any more, and keeps it then", () => {
    const verdict = { reason: "DeadlineExceeded", message: "too long" };
    assert.equal(statusOf(testPod(), [c("app")], { verdict }).phase, "Running");

    const final = statusOf(testPod(), [c("app", bad)], { verdict, isTerminal: true });
    assert.deepEqual(
      [final.phase, final.reason, final.message],
      ["Failed", "DeadlineExceeded", "too long"],
    );
    const later = statusOf(testPod(), [c("app", bad)], { before: final });
    assert.deepEqual([later.phase, later.reason], ["Failed", "DeadlineExceeded"]);
  });

  it("says why a pod was rejected", () => {
    assert.deepEqual(rejectedStatus(testPod(), { reason: "NodeName", message: "no" }), {
      ...{ phase: "Failed", message: "Pod was rejected: no", reason: "NodeName" },
      qosClass: "BestEffort",
    });
  });
});
