import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemRandom } from "../../base/random.ts";
import type { ContainerSpec } from "../runtime.ts";
import { newId, newState } from "./new-container.ts";

const spec: ContainerSpec = {
  podUid: "u",
  podName: "p",
  podNamespace: "n",
  name: "c",
  attempt: 2,
  annotations: { hash: "1" },
  image: {
    name: "app:1",
    id: "sha256:1",
    layers: ["/l"],
    config: { entrypoint: [], cmd: [], env: [], user: "", workingDir: "", stopSignal: "" },
  },
  argv: ["run", "--password=canary"],
  env: [["TOKEN", "canary"]],
  workingDir: "/",
  user: { uid: 0, gid: 0, supplementalGroups: [] },
  mounts: [],
  isRootReadOnly: false,
  security: {
    isPrivileged: false,
    capabilities: [],
    isWithoutNewPrivileges: true,
    seccomp: "default",
    isProcMasked: true,
  },
  resources: {
    memoryLimitBytes: undefined,
    milliCpuRequest: 0,
    milliCpuLimit: undefined,
    pidsLimit: undefined,
    oomScoreAdjust: 0,
  },
  processes: "own",
  stdin: "open",
  hasTty: true,
  logPath: "/log",
};

function stopSignalOf(stopSignal: string): number {
  const image = { ...spec.image, config: { ...spec.image.config, stopSignal } };
  const shim = { pid: 1, startTicks: 1 };
  return newState({
    ...{ id: "x", spec: { ...spec, image }, shim, startedAtMs: 0 },
    cgroup: { groups: [] },
  }).stopSignal;
}

describe("newState", { skip: process.platform === "linux" ? false : "there is no /proc" }, () => {
  it("G9 has neither the environment nor the arguments in it", () => {
    const shim = { pid: 1, startTicks: 2 };
    const state = newState({ id: "x", spec, shim, startedAtMs: 3, cgroup: { groups: [] } });
    assert.ok(!JSON.stringify(state).includes("canary"));
    assert.deepEqual(state.status, {
      id: "x",
      podUid: "u",
      podName: "p",
      podNamespace: "n",
      name: "c",
      attempt: 2,
      annotations: { hash: "1" },
      imageName: "app:1",
      imageId: "sha256:1",
      logPath: "/log",
      startedAtMs: 3,
      hasTty: true,
      stdin: "open",
    });
  });

  it("does not believe an image that names a signal which cannot be sent", () => {
    assert.deepEqual(
      ["0", "65", "999", "99999999999999999999"].map(stopSignalOf),
      [15, 15, 15, 15],
    );
  });

  it("takes the signal to stop with by name or by number, SIGTERM if there is none", () => {
    assert.deepEqual(
      ["", "SIGUSR1", "QUIT", "10", "64", "SIGNOTHING"].map(stopSignalOf),
      [15, 10, 3, 10, 64, 15],
    );
  });
});

describe("newId", () => {
  it("is as long as other runtimes' and never the same", () => {
    const ids = Array.from({ length: 100 }, () => newId(systemRandom));
    assert.equal(new Set(ids).size, 100);
    assert.ok(ids.every((id) => /^[0-9a-f]{64}$/.test(id)));
  });
});
