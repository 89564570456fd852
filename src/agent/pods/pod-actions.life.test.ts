import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, EphemeralContainer, Pod, PodStatus } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import type { ProbeFailure } from "../probes/probes.ts";
import { type PodActions, podActions } from "./pod-actions.ts";
import { runtimeContainer as c, containersOf, healthOf } from "./testing/runtime-container.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

/** "stop app-0 5s: Stopping; start side-1; wait side; done" */
function textOf({ stop, start, wait, isSandboxLost, isDone }: PodActions): string {
  return [
    ...(isSandboxLost ? ["anew"] : []),
    ...stop.map(({ container, message, graceSeconds }) => {
      const grace = graceSeconds === undefined ? "" : ` ${graceSeconds}s`;
      return `stop ${container.id}${grace}: ${message}`;
    }),
    ...start.map(({ container, attempt }) => `start ${container.name}-${attempt}`),
    ...wait.map(({ container }) => `wait ${container.name}`),
    ...(isDone ? ["done"] : []),
  ].join("; ");
}

const side = (name: string): Container => ({ ...testContainer(name), restartPolicy: "Always" });
/** "i1 s1 | app" with s… for sidecars. */
function pod(text: string, restartPolicy = "Always", status?: PodStatus): Pod {
  const [init = "", regular = ""] = text.split("|");
  const names = (part: string): string[] => part.split(" ").filter((one) => one !== "");
  const made = (name: string): Container =>
    name.startsWith("s") ? side(name) : testContainer(name);
  const initContainers = names(init).map(made);
  const containers = names(regular).map((name) => testContainer(name));
  return testPod({
    spec: { restartPolicy, initContainers, containers },
    ...(status && { status }),
  });
}

const ok = { exitCode: 0 };
const bad = { exitCode: 1 };
const old = { exitCode: 137, bootId: "b1" };
const liveness: ProbeFailure = { probe: "Liveness", terminationGracePeriodSeconds: undefined };
const startup: ProbeFailure = { probe: "Startup", terminationGracePeriodSeconds: 5 };

interface Wishes {
  readonly starting?: readonly string[];
  readonly failing?: Readonly<Record<string, ProbeFailure>>;
}

type Case = readonly [
  name: string,
  pod: Pod,
  containers: readonly ContainerStatus[],
  expected: string,
  health?: Wishes,
];

const sidecars: readonly Case[] = [
  ["begins with the first sidecar", pod("s1 s2 | app"), [], "start s1-0"],
  ["waits for a sidecar to start", pod("s1 | app"), [c("s1")], "", { starting: ["s1-0"] }],
  ["goes on when a sidecar has started", pod("s1 s2 | app"), [c("s1")], "start s2-0"],
  ["starts an init container after a sidecar", pod("s1 i1 | app"), [c("s1")], "start i1-0"],
  ["starts the others after the last sidecar", pod("i1 s1 | app"), [c("s1")], "start app-0"],
  ["keeps sidecars while an init container runs", pod("s1 i1 | app"), [c("s1"), c("i1")], ""],
  [
    "restarts a sidecar that ends during the init containers",
    pod("s1 i1 | app"),
    [c("s1", ok), c("i1")],
    "start s1-1",
  ],
  [
    "goes on with init containers although a sidecar before them has ended",
    pod("s1 i1 i2 | app"),
    [c("s1", bad), c("i1", ok)],
    "start s1-1; start i2-0",
  ],
  [
    "starts nothing after a sidecar that ended before it had started",
    pod("s1 i1 | app"),
    [c("s1", bad)],
    "start s1-1",
  ],
  [
    "restarts a sidecar beside regular containers, whatever the pod's policy",
    pod("s1 | app", "Never"),
    [c("s1", ok), c("app")],
    "start s1-1",
  ],
  [
    "lets a sidecar that crashes again and again wait",
    pod("s1 | app"),
    [c("s1", { ...bad, attempt: 1, backoffMs: 10_000, finishedAtMs: 59_000 }), c("app")],
    "wait s1",
  ],
  ["starts a sidecar that was lost", pod("s1 | app"), [c("app")], "start s1-0"],
  [
    "runs no init container again beside regular ones",
    pod("i1 s1 | app"),
    [c("i1", bad), c("s1"), c("app")],
    "",
  ],
  [
    "is done when all that is regular is, although sidecars run",
    pod("s1 | app", "Never"),
    [c("s1"), c("app", ok)],
    "done",
  ],
  [
    "restarts no sidecar of a pod that is done",
    pod("s1 | app", "OnFailure"),
    [c("s1", bad), c("app", ok)],
    "done",
  ],
  [
    "is not done while a regular container waits for its restart",
    pod("s1 | app"),
    [c("s1"), c("app", { ...bad, attempt: 1, backoffMs: 10_000, finishedAtMs: 59_000 })],
    "wait app",
  ],
  [
    "is done with a failed init container after a sidecar under Never",
    pod("s1 i1 | app", "Never"),
    [c("s1"), c("i1", bad)],
    "done",
  ],
  [
    "takes an init container that ran out of memory for failed, whatever its exit code",
    pod("i1 | app"),
    [c("i1", { ...ok, isOutOfMemory: true })],
    "start i1-1",
  ],
  [
    "replaces a sidecar that has another image",
    pod("s1 | app"),
    [c("s1", { image: "old" }), c("app")],
    "stop s1-0: Init container s1 definition changed; start s1-1",
  ],
];

const probes: readonly Case[] = [
  [
    "restarts a container that fails its liveness probe",
    pod("| app"),
    [c("app")],
    "stop app-0: Container app failed liveness probe, will be restarted; start app-1",
    { failing: { "app-0": liveness } },
  ],
  [
    "stops a container that fails its startup probe in the time that the probe gives",
    pod("| app", "OnFailure"),
    [c("app")],
    "stop app-0 5s: Container app failed startup probe, will be restarted; start app-1",
    { failing: { "app-0": startup } },
  ],
  [
    "is done with the only container of a pod that is never restarted when it fails",
    pod("| app", "Never"),
    [c("app")],
    "done",
    { failing: { "app-0": liveness } },
  ],
  [
    "stops one of two for good under Never",
    pod("| app log", "Never"),
    [c("app"), c("log")],
    "stop app-0: Container app failed liveness probe",
    { failing: { "app-0": liveness } },
  ],
  [
    "lets a container that failed shortly after the last time wait when it has ended",
    pod("| app"),
    [
      c("app", { ...bad, finishedAtMs: 55_000 }),
      c("app", { attempt: 1, backoffMs: 10_000, startedAtMs: 55_000 }),
    ],
    "stop app-1: Container app failed liveness probe, will be restarted",
    { failing: { "app-1": liveness } },
  ],
  [
    "restarts a sidecar that fails, in other words",
    pod("s1 | app"),
    [c("s1"), c("app")],
    "stop s1-0: Init container s1 failed liveness probe; start s1-1",
    { failing: { "s1-0": liveness } },
  ],
  [
    "starts nothing after a sidecar that fails to start",
    pod("s1 | app"),
    [c("s1")],
    "stop s1-0 5s: Init container s1 failed startup probe; start s1-1",
    { starting: ["s1-0"], failing: { "s1-0": startup } },
  ],
];

const debug: EphemeralContainer = testContainer("debug");
const withDebug = (of: Pod, status?: PodStatus): Pod => ({
  ...of,
  spec: { ...of.spec, ephemeralContainers: [debug] },
  ...(status && { status }),
});
const reported = {
  ...{ name: "debug", state: { terminated: { exitCode: 0 } }, lastState: {}, ready: false },
  ...{ restartCount: 0, image: "host", imageID: "", containerID: "driftless://x" },
};

const ephemeral: readonly Case[] = [
  ["starts one beside what runs", withDebug(pod("| app")), [c("app")], "start debug-0"],
  [
    "starts one although an init container fails",
    withDebug(pod("i1 | app")),
    [c("i1", bad)],
    "start debug-0; start i1-1",
  ],
  ["never starts one again", withDebug(pod("| app")), [c("app"), c("debug", bad)], ""],
  [
    "starts none that the server knows and the runtime has forgotten",
    withDebug(pod("| app"), { phase: "Running", ephemeralContainerStatuses: [reported] }),
    [c("app")],
    "",
  ],
  [
    "is done although one runs",
    withDebug(pod("| app", "Never")),
    [c("app", ok), c("debug")],
    "done",
  ],
];

const reboot: readonly Case[] = [
  [
    "begins with the first init container again",
    pod("i1 i2 | app"),
    [c("i1", { ...ok, bootId: "b1" }), c("i2", { ...ok, bootId: "b1" }), c("app", old)],
    "anew; start i1-1",
  ],
  [
    "goes on with the second when the first is done, since then",
    pod("i1 i2 | app"),
    [c("i1", { ...ok, attempt: 1, bootId: "b2" }), c("i2", { ...ok, bootId: "b1" }), c("app", old)],
    "start i2-1",
  ],
  ["starts what has no init containers", pod("| app"), [c("app", old)], "anew; start app-1"],
  [
    "starts at once what would have waited",
    pod("| app"),
    [c("app", { ...old, backoffMs: 300_000, finishedAtMs: 59_000 })],
    "anew; start app-1",
  ],
  ["is over if it may not be restarted", pod("i1 | app", "Never"), [c("i1", old)], "done"],
  [
    "is over if all had succeeded",
    pod("i1 | app", "OnFailure"),
    [c("app", { ...ok, bootId: "b1" })],
    "done",
  ],
  [
    "starts only what had not succeeded",
    pod("| app log", "OnFailure"),
    [c("app", { ...ok, bootId: "b1" }), c("log", old)],
    "anew; start log-1",
  ],
  ["starts sidecars again", pod("s1 | app"), [c("s1", old), c("app", old)], "anew; start s1-1"],
];

for (const [title, cases] of [
  ["podActions, of a pod with sidecars,", sidecars],
  ["podActions, when probes fail,", probes],
  ["podActions, of ephemeral containers,", ephemeral],
  ["podActions, after a reboot of the machine,", reboot],
] as const) {
  describe(title, () => {
    for (const [name, of, containers, expected, health] of cases) {
      it(name, () => {
        const actions = podActions({
          pod: of,
          containers: containersOf(...containers),
          health: healthOf(health),
          bootId: "b2",
          nowMs: 60_000,
        });
        assert.equal(textOf(actions), expected);
      });
    }
  });
}
