import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Pod } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { type PodActions, podActions } from "./pod-actions.ts";
import { podContainers } from "./pod-containers.ts";
import { shouldRestart } from "./restart-policy.ts";
import { runtimeContainer as c, containersOf, healthOf } from "./testing/runtime-container.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

/** "stop app-0; start app-1; wait init 10000; remove app-0; done" */
function textOf({ stop, start, wait, remove, isDone }: PodActions): string {
  return [
    ...stop.map(({ container }) => `stop ${container.id}`),
    ...start.map(({ container, attempt, backoffMs }) => {
      return `start ${container.name}-${attempt} ${backoffMs}`;
    }),
    ...wait.map(({ container, delayMs }) => `wait ${container.name} ${delayMs}`),
    ...remove.map(({ id }) => `remove ${id}`),
    ...(isDone ? ["done"] : []),
  ].join("; ");
}

const still = { health: healthOf(), bootId: "b2", nowMs: 0 };
const plain = testPod();
const onFailure = testPod({ spec: { restartPolicy: "OnFailure" } });
const never = testPod({ spec: { restartPolicy: "Never" } });
const pair = testPod({ spec: { containers: [testContainer("app"), testContainer("log")] } });
const withInit = (restartPolicy: string): Pod =>
  testPod({ spec: { restartPolicy, initContainers: [testContainer("i1"), testContainer("i2")] } });

const cases: readonly (readonly [
  name: string,
  pod: Pod,
  containers: readonly ContainerStatus[],
  expected: string,
])[] = [
  ["starts everything in order", pair, [], "start app-0 0; start log-0 0"],
  ["keeps what runs", plain, [c("app")], ""],
  ["starts only what is missing", pair, [c("app")], "start log-0 0"],
  ["restarts at once the first time", plain, [c("app", { exitCode: 1 })], "start app-1 10000"],
  ["restarts what succeeded too", plain, [c("app", { exitCode: 0 })], "start app-1 10000"],
  [
    "waits the second time",
    plain,
    [c("app", { attempt: 1, exitCode: 1, backoffMs: 10_000, finishedAtMs: 55_000 })],
    "wait app 10000",
  ],
  [
    "starts when the wait is over",
    plain,
    [c("app", { attempt: 1, exitCode: 1, backoffMs: 10_000, finishedAtMs: 50_000 })],
    "start app-2 20000",
  ],
  [
    "waits for nothing that ended after now: the clock was set back",
    plain,
    [c("app", { attempt: 1, exitCode: 1, backoffMs: 10_000, finishedAtMs: 3_600_000 })],
    "start app-2 10000",
  ],
  ["is done with a success under OnFailure", onFailure, [c("app", { exitCode: 0 })], "done"],
  [
    "restarts a failure under OnFailure",
    onFailure,
    [c("app", { exitCode: 2 })],
    "start app-1 10000",
  ],
  ["is done with a failure under Never", never, [c("app", { exitCode: 2 })], "done"],
  [
    "stops and starts what has another image",
    plain,
    [c("app", { image: "old" })],
    "stop app-0; start app-1 0",
  ],
  ["begins with the first init container", withInit("Always"), [], "start i1-0 0"],
  ["waits for an init container", withInit("Always"), [c("i1")], ""],
  [
    "goes on to the next init container",
    withInit("Always"),
    [c("i1", { exitCode: 0 })],
    "start i2-0 0",
  ],
  [
    "starts the others after the last init container",
    withInit("Always"),
    [c("i1", { exitCode: 0 }), c("i2", { exitCode: 0 })],
    "start app-0 0",
  ],
  [
    "needs only the last init container to know how far it is",
    withInit("Always"),
    [c("i2", { exitCode: 0 })],
    "start app-0 0",
  ],
  [
    "repeats an init container that failed",
    withInit("Always"),
    [c("i1", { exitCode: 1 })],
    "start i1-1 10000",
  ],
  [
    "is done with a failed init container under Never",
    withInit("Never"),
    [c("i1", { exitCode: 1 })],
    "done",
  ],
  [
    "runs no init container again when a regular one was there",
    withInit("Always"),
    [c("app", { exitCode: 1 })],
    "start app-1 10000",
  ],
  [
    "removes all ended ones but the last",
    plain,
    [c("app", { exitCode: 1 }), c("app", { attempt: 1, exitCode: 1 }), c("app", { attempt: 2 })],
    "remove app-0",
  ],
  [
    "stops everything when the server says that the pod is over",
    testPod({ status: { phase: "Failed", reason: "Evicted" } }),
    [c("app")],
    "stop app-0; done",
  ],
  [
    "starts nothing of a pod that is being deleted",
    testPod({ metadata: { deletionTimestamp: "2024-01-01T00:00:00Z" } }),
    [],
    "done",
  ],
];

describe("podActions", () => {
  for (const [name, pod, containers, expected] of cases) {
    it(name, () => {
      const facts = {
        pod,
        containers: containersOf(...containers),
        health: healthOf(),
        bootId: "b2",
        nowMs: 60_000,
      };
      assert.equal(textOf(podActions(facts)), expected);
    });
  }

  it("counts on from what the server knows when the runtime has lost a container", () => {
    const lost = {
      ...{ name: "app", state: { running: {} }, lastState: {}, ready: true, restartCount: 4 },
      ...{ image: "host", imageID: "", containerID: "driftless://x" },
    };
    const pod = testPod({ status: { phase: "Running", containerStatuses: [lost] } });

    assert.equal(textOf(podActions({ pod, containers: new Map(), ...still })), "start app-5 0");
  });

  it("counts on from what the server knows of starts that failed under another agent", () => {
    const failed = {
      ...{ name: "app", state: { waiting: {} }, lastState: {}, ready: false, restartCount: 4 },
      ...{ image: "host", imageID: "", containerID: "driftless://x" },
    };
    const pod = testPod({ status: { phase: "Running", containerStatuses: [failed] } });
    const containers = containersOf(c("app", { attempt: 2, exitCode: 1 }));

    const facts = { pod, containers, ...still, nowMs: 60_000 };
    assert.equal(textOf(podActions(facts)), "start app-5 10000");
  });

  it("does not run twice what ended for good, even if the runtime has forgotten it", () => {
    const ended = {
      ...{ name: "app", state: { terminated: { exitCode: 0 } }, lastState: {}, ready: false },
      ...{ restartCount: 0, image: "host", imageID: "", containerID: "driftless://x" },
    };
    const pod = testPod({
      spec: { restartPolicy: "Never", containers: [testContainer("app"), testContainer("log")] },
      status: { phase: "Running", containerStatuses: [ended] },
    });

    assert.equal(textOf(podActions({ pod, containers: new Map(), ...still })), "start log-0 0");
  });

  it("does not start the same container twice, nor a regular one before its time, nor what is over", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("sync" as const) }),
      fc.record({
        do: fc.constant("pass" as const),
        ms: fc.constantFrom(1, 9000, 61_000, 700_000),
      }),
      fc.record({
        do: fc.constant("exit" as const),
        name: fc.constantFrom("i1", "s1", "i2", "s2", "app", "log"),
        exitCode: fc.constantFrom(0, 0, 1),
      }),
      fc.record({ do: fc.constant("image" as const), image: fc.constantFrom("a", "b") }),
      fc.record({
        do: fc.constant("health" as const),
        name: fc.constantFrom("s1", "s2", "app"),
        is: fc.constantFrom("starting" as const, "started" as const, "failing" as const),
      }),
    );
    const policies = fc.constantFrom("Always", "OnFailure", "Never");
    const steps = fc.array(step, { maxLength: 60 });
    const property = fc.property(policies, fc.nat(4), steps, (restartPolicy, inits, taken) => {
      const world = new World(restartPolicy, inits);
      for (const one of taken) world.take(one);
    });
    fc.assert(property, { numRuns: 300 });
  });
});

type Step =
  | { readonly do: "sync" }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "exit"; readonly name: string; readonly exitCode: number }
  | { readonly do: "image"; readonly image: string }
  | {
      readonly do: "health";
      readonly name: string;
      readonly is: "starting" | "started" | "failing";
    };

/** Does what the function says, and holds it against the promises. */
class World {
  readonly #pod: Pod;
  #containers: ContainerStatus[] = [];
  readonly #healths = new Map<string, "starting" | "started" | "failing">();
  #nowMs = 0;
  #isDone = false;

  constructor(restartPolicy: string, inits: number) {
    const init = ["i1", "s1", "i2", "s2"].slice(0, inits).map((name) => {
      return name.startsWith("s")
        ? { ...testContainer(name), restartPolicy: "Always" }
        : testContainer(name);
    });
    const containers = [testContainer("app"), testContainer("log")];
    this.#pod = testPod({ spec: { restartPolicy, initContainers: init, containers } });
  }

  take(step: Step): void {
    if (step.do === "pass") this.#nowMs += step.ms;
    else if (step.do === "exit") this.#exit(step.name, step.exitCode);
    else if (step.do === "image" && !this.#isDone) {
      for (const container of this.#pod.spec.containers ?? []) container.image = step.image;
    } else if (step.do === "health") this.#healths.set(step.name, step.is);
    else if (step.do === "sync") this.#sync();
  }

  #healthOf(containerId: string): "starting" | "started" | "failing" {
    const found = this.#containers.find(({ id }) => id === containerId);
    return this.#healths.get(found?.name ?? "") ?? "started";
  }

  readonly #health = {
    isStarted: (id: string) => this.#healthOf(id) !== "starting",
    isReady: (id: string) => this.#healthOf(id) === "started",
    failure: (id: string) =>
      this.#healthOf(id) === "failing"
        ? { probe: "Liveness" as const, terminationGracePeriodSeconds: undefined }
        : undefined,
  };

  #exit(name: string, exitCode: number): void {
    this.#containers = this.#containers.map((one) =>
      one.name === name && one.end === undefined
        ? {
            ...one,
            end: {
              finishedAtMs: this.#nowMs,
              exitCode,
              signal: undefined,
              isUnknown: false,
              isOutOfMemory: false,
            },
          }
        : one,
    );
  }

  #sync(): void {
    const containers = podContainers(this.#containers, "u1");
    const actions = podActions({
      ...{ pod: this.#pod, containers, health: this.#health, bootId: "b2", nowMs: this.#nowMs },
    });
    if (this.#isDone) assert.equal(textOf({ ...actions, remove: [] }), "done");
    this.#isDone = actions.isDone;
    for (const { container } of actions.stop) this.#exit(container.name, 143);
    for (const { id } of actions.remove) {
      this.#containers = this.#containers.filter((one) => one.id !== id);
    }
    for (const { container, attempt, backoffMs, kind } of actions.start) {
      const all = this.#containers.filter(({ name }) => name === container.name);
      assert.ok(
        all.every(({ end }) => end !== undefined),
        `${container.name} runs already`,
      );
      assert.ok(
        all.every((one) => one.attempt < attempt),
        `attempt ${attempt} was there before`,
      );
      if (kind === "regular") this.#checkInitialized();
      const { image = "" } = container;
      const startedAtMs = this.#nowMs;
      const made = c(container.name, { attempt, backoffMs, image, startedAtMs });
      this.#containers.push({ ...made, id: `${made.id}-${image}` });
    }
    if (!actions.isDone) return;
    this.#checkOver();
    for (const { name } of this.#containers) this.#exit(name, 143);
  }

  #checkInitialized(): void {
    const isRegular = ({ name }: ContainerStatus): boolean => name === "app" || name === "log";
    if (this.#containers.some(isRegular)) return;
    for (const { name, restartPolicy } of this.#pod.spec.initContainers ?? []) {
      const last = this.#containers.findLast((one) => one.name === name);
      if (restartPolicy === "Always") assert.ok(last !== undefined, `${name} was never started`);
      else assert.equal(last?.end?.exitCode, 0, `${name} has not succeeded`);
    }
    this.#checkLastSidecar();
  }

  #checkLastSidecar(): void {
    const [last] = this.#pod.spec.initContainers?.slice(-1) ?? [];
    if (last?.restartPolicy !== "Always") return;
    const started = this.#containers.findLast(({ name }) => name === last.name);
    assert.ok(started?.end === undefined && this.#healths.get(last.name) !== "starting");
  }

  #checkOver(): void {
    const isSidecar = ({ name }: ContainerStatus): boolean => name.startsWith("s");
    const isFailing = ({ id }: ContainerStatus): boolean => this.#healthOf(id) === "failing";
    for (const one of this.#containers) {
      assert.ok(one.end !== undefined || isSidecar(one) || isFailing(one), `${one.name} runs`);
    }
    const [container] = this.#pod.spec.containers ?? [];
    assert.ok(container !== undefined);
    const mayEnd = [0, 1].some((exitCode) => !shouldRestart(this.#pod, container, exitCode));
    assert.ok(mayEnd, "a pod that always restarts is never done");
  }
}
