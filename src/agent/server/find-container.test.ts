import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ContainerState, Pod, PodStatus } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { findPod, loggedContainer, runningContainer } from "./find-container.ts";
import type { RequestError } from "./request-error.ts";

const pod: Pod = {
  metadata: { name: "web", namespace: "default", uid: "u1" },
  spec: { containers: [{ name: "main", resources: {} }] },
  status: {},
};

function container(attempt: number, isEnded: boolean): ContainerStatus {
  const end = {
    ...{ finishedAtMs: 1, exitCode: 1, signal: undefined },
    ...{ isUnknown: false, isOutOfMemory: false },
  };
  return {
    ...{ id: `c${attempt}`, podUid: "u1", podName: "web", podNamespace: "default", name: "main" },
    ...{ attempt, annotations: {}, imageName: "", imageId: "", logPath: "", startedAtMs: 0 },
    ...{ hasTty: false, stdin: "none", pid: undefined, end: isEnded ? end : undefined },
  };
}

function statusIn(state: ContainerState): PodStatus {
  const of = { name: "main", ready: false, restartCount: 0, image: "", imageID: "" };
  return { containerStatuses: [{ ...of, state, lastState: {} }] };
}

const place = { namespace: "default", pod: "web", uid: "", container: "main", isPrevious: false };

describe("loggedContainer", () => {
  const found = (
    containers: readonly ContainerStatus[],
    state: ContainerState,
    isPrevious = false,
  ): string => {
    const served = { pod, status: statusIn(state) };
    return loggedContainer(containers, served, { ...place, isPrevious }).id;
  };

  it("is the newest, running or ended", () => {
    equal(found([container(0, true), container(1, false)], { running: {} }), "c1");
    equal(found([container(0, true)], { terminated: { exitCode: 1 } }), "c0");
  });

  it("is the one before it for the previous log, and the newest while that waits to be started again", () => {
    const both = [container(0, true), container(1, true)];
    equal(found([container(0, true), container(1, false)], { running: {} }, true), "c0");
    equal(found(both, { terminated: { exitCode: 1 } }, true), "c0");
    equal(found(both, { waiting: { reason: "CrashLoopBackOff" } }, true), "c1");
  });

  const refusals: readonly (readonly [ContainerState, string])[] = [
    [{ waiting: { reason: "ContainerCreating" } }, "is waiting to start: ContainerCreating"],
    [{ waiting: { reason: "ErrImagePull" } }, "is waiting to start: image can't be pulled"],
    [
      { waiting: { reason: "ImagePullBackOff" } },
      "is waiting to start: trying and failing to pull image",
    ],
    [{}, "is waiting to start - no logs yet"],
    [{ terminated: { exitCode: 0 } }, "is terminated"],
  ];
  for (const [state, text] of refusals) {
    it(`says that it ${text}`, () => {
      throws(
        () => found([], state),
        ({ code, message }: RequestError) =>
          code === 400 && message === `container "main" in pod "web" ${text}`,
      );
    });
  }
});

describe("runningContainer", () => {
  it("is none that has ended, even if an older one runs", () => {
    const served = { pod, status: {} };
    equal(runningContainer([container(0, true), container(1, false)], served, "main").id, "c1");
    throws(() => runningContainer([container(0, true)], served, "main"), {
      message: 'container not found ("main")',
    });
  });
});

describe("findPod", () => {
  it("is not another pod of the same name, if its uid is known", () => {
    const pods = { find: () => ({ pod, status: {} }), list: () => [] };
    equal(findPod(pods, { ...place, uid: "u1" }).pod, pod);
    throws(() => findPod(pods, { ...place, uid: "u2" }), { message: "pod does not exist" });
  });
});
