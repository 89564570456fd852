import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, EphemeralContainer, Pod, PodStatus } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { podStatus, type StatusFacts } from "./pod-status.ts";
import { runtimeContainer as c, containersOf, healthOf } from "./testing/runtime-container.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

function statusOf(
  pod: Pod,
  containers: readonly ContainerStatus[],
  more: Partial<StatusFacts> = {},
): PodStatus {
  return podStatus({
    ...{ pod, before: pod.status, containers: containersOf(...containers), reasons: new Map() },
    ...{ health: healthOf(), messages: new Map(), nowMs: Date.UTC(2024, 0, 1) },
    ...{ isTerminal: false, verdict: undefined, hasSandbox: true, addresses: ["10.0.0.1"] },
    ...more,
  });
}

const side = (name: string): Container => ({ ...testContainer(name), restartPolicy: "Always" });
const ok = { exitCode: 0 };
const bad = { exitCode: 1 };

function podOf(restartPolicy: string, init: readonly Container[]): Pod {
  return testPod({ spec: { restartPolicy, initContainers: [...init] } });
}
const always = podOf("Always", [side("s1")]);
const never = podOf("Never", [side("s1")]);
const mixed = podOf("Always", [testContainer("i1"), side("s1")]);

/** Phase, whether it is initialized and ready: "Running I R". */
function summary({ phase, conditions = [] }: PodStatus): string {
  const isTrue = (type: string): boolean =>
    conditions.find((one) => one.type === type)?.status === "True";
  return [phase, ...(isTrue("Initialized") ? ["I"] : []), ...(isTrue("Ready") ? ["R"] : [])].join(
    " ",
  );
}

type Case = readonly [
  name: string,
  pod: Pod,
  containers: readonly ContainerStatus[],
  expected: string,
  more?: Partial<StatusFacts>,
];

const starting = { health: healthOf({ starting: ["s1-0"] }) };
const unready = { health: healthOf({ unready: ["s1-0"] }) };
const crashing = { reasons: new Map([["s1", { reason: "CrashLoopBackOff", message: "" }]]) };

const phases: readonly Case[] = [
  ["nothing but a sidecar that starts", always, [c("s1")], "Pending", starting],
  ["a sidecar that has started, and nothing else", always, [c("s1")], "Pending I"],
  ["all running", always, [c("s1"), c("app")], "Running I R"],
  [
    "a sidecar that starts again beside the others",
    always,
    [c("s1"), c("app")],
    "Running I",
    starting,
  ],
  ["a sidecar that is not ready", always, [c("s1"), c("app")], "Running I", unready],
  ["a sidecar that ended beside the others", always, [c("s1", bad), c("app")], "Running I"],
  [
    "a sidecar in back-off beside the others",
    always,
    [c("s1", bad), c("app")],
    "Running I",
    crashing,
  ],
  ["a sidecar that runs on after the others", never, [c("s1"), c("app", ok)], "Running I"],
  ["a failed sidecar after a success", never, [c("s1", bad), c("app", ok)], "Succeeded I"],
  ["a sidecar that succeeded after a failure", never, [c("s1", ok), c("app", bad)], "Failed I"],
  ["an init container that runs before a sidecar", mixed, [c("i1")], "Pending"],
  ["an init container that is done before a sidecar", mixed, [c("i1", ok), c("s1")], "Pending I"],
  [
    "all ended, under Always, and nothing more to come",
    always,
    [c("s1", ok), c("app", ok)],
    "Succeeded I",
    { isTerminal: true },
  ],
  [
    "an init container that failed for good beside a sidecar that still runs",
    podOf("Never", [side("s1"), testContainer("i1")]),
    [c("s1"), c("i1", bad)],
    "Pending",
  ],
  [
    "an init container that failed for good after a sidecar has ended",
    podOf("Never", [side("s1"), testContainer("i1")]),
    [c("s1", ok), c("i1", bad)],
    "Failed",
  ],
  [
    "nothing left that runs but one for debugging",
    never,
    [c("s1", ok), c("app", ok), c("debug")],
    "Running I",
    { before: { phase: "Running" } },
  ],
  [
    "a regular container that never came to its turn",
    podOf("Always", [testContainer("i1")]),
    [c("i1", bad)],
    "Failed",
    { isTerminal: true },
  ],
];

describe("podStatus, of sidecars,", () => {
  for (const [name, pod, containers, expected, more] of phases) {
    it(`finds a pod with ${name} ${expected}`, () => {
      assert.equal(summary(statusOf(pod, containers, more)), expected);
    });
  }

  it("names sidecars among those that are not ready, first", () => {
    const facts = { health: healthOf({ unready: ["s1-0", "app-0"] }) };
    const { conditions } = statusOf(mixed, [c("i1", ok), c("s1"), c("app")], facts);
    const ready = conditions?.find(({ type }) => type === "ContainersReady");
    assert.equal(ready?.message, "containers with unready status: [s1 app]");
  });

  it("tells of each whether it has started and is ready", () => {
    const { initContainerStatuses } = statusOf(mixed, [c("i1", ok), c("s1")], unready);
    assert.deepEqual(
      initContainerStatuses?.map(({ name, started, ready }) => [name, started, ready]),
      [
        ["i1", false, true],
        ["s1", true, false],
      ],
    );
  });
});

describe("podStatus, of containers that ended,", () => {
  const pod = testPod({ spec: { restartPolicy: "Never" } });

  it("says that one ran out of memory, whatever its exit code", () => {
    for (const exitCode of [137, 0]) {
      const [app] =
        statusOf(pod, [c("app", { exitCode, isOutOfMemory: true })]).containerStatuses ?? [];
      assert.equal(app?.state.terminated?.reason, "OOMKilled");
    }
  });

  it("has their last words, no more than their share", () => {
    const messages = new Map([["app-0", "x".repeat(4096)]]);
    const words = (of: Pod): number | undefined =>
      statusOf(of, [c("app", bad)], { messages }).containerStatuses?.find(
        ({ name }) => name === "app",
      )?.state.terminated?.message?.length;
    assert.equal(words(pod), 4096);
    const names = ["app", "b", "c", "d", "e", "f"];
    assert.equal(
      words(testPod({ spec: { containers: names.map((one) => testContainer(one)) } })),
      2048,
    );
  });

  it("keeps the last words of the one before", () => {
    const messages = new Map([["app-0", "bye"]]);
    const all = [c("app", bad), c("app", { attempt: 1 })];
    const [app] = statusOf(testPod(), all, { messages }).containerStatuses ?? [];
    assert.equal(app?.lastState.terminated?.message, "bye");
  });

  it("lets those wait that never came to their turn, and fails the first init container", () => {
    const init = [testContainer("i1"), testContainer("i2"), side("s1")];
    const { initContainerStatuses, containerStatuses } = statusOf(podOf("Always", init), [], {
      isTerminal: true,
    });
    const states = [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])].map(
      ({ state }) => state.terminated?.reason ?? state.waiting?.reason,
    );
    assert.deepEqual(states, [
      "ContainerStatusUnknown",
      "PodInitializing",
      "PodInitializing",
      "PodInitializing",
    ]);
  });
});

describe("podStatus, of ephemeral containers,", () => {
  const debug: EphemeralContainer = testContainer("debug");
  const plain = testPod();
  const pod: Pod = { ...plain, spec: { ...plain.spec, ephemeralContainers: [debug] } };

  it("tells of them, and counts them for nothing", () => {
    const status = statusOf(pod, [c("app"), c("debug", bad)]);
    assert.equal(summary(status), "Running I R");
    const [one] = status.ephemeralContainerStatuses ?? [];
    assert.equal(one?.state.terminated?.exitCode, 1);
    assert.deepEqual([one?.ready, one?.started], [false, undefined]);
  });

  it("says why one does not start", () => {
    const reasons = new Map([["debug", { reason: "ErrImagePull", message: "none" }]]);
    const [one] = statusOf(pod, [c("app")], { reasons }).ephemeralContainerStatuses ?? [];
    assert.deepEqual(one?.state.waiting, { reason: "ErrImagePull", message: "none" });
  });

  it("does not mistake one that ended for one that waits", () => {
    const reasons = new Map([["debug", { reason: "ErrImagePull", message: "none" }]]);
    const all = [c("app"), c("debug", ok)];
    const [one] = statusOf(pod, all, { reasons }).ephemeralContainerStatuses ?? [];
    assert.equal(one?.state.terminated?.exitCode, 0);
  });
});
