import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Container, ContainerStatus, Pod } from "../../api/types.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { StartError } from "../../runtime/runtime.ts";
import type { PrepareContainer } from "./pod-parts.ts";
import { PodWorker } from "./pod-worker.ts";
import { PodBench } from "./testing/pod-bench.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

const side = (name: string): Container => ({ ...testContainer(name), restartPolicy: "Always" });

describe("PodWorker, through a pod's life,", () => {
  let bench: PodBench;
  let stop: AbortController;
  let lives: Promise<void>[];
  beforeEach(() => {
    bench = new PodBench();
    stop = new AbortController();
    lives = [];
  });
  afterEach(async () => {
    stop.abort();
    await bench.settle();
    await Promise.all(lives);
  });

  async function started(pod: Pod): Promise<PodWorker> {
    const worker = new PodWorker(bench.parts, pod);
    bench.runtime.onExit(() => worker.containerEnded());
    bench.probes.onChange(() => worker.probesChanged());
    lives.push(worker.run(stop.signal));
    await bench.settle();
    return worker;
  }
  const statusOf = (name: string): ContainerStatus | undefined => {
    const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = bench.status();
    const lists = [initContainerStatuses, containerStatuses, ephemeralContainerStatuses];
    return lists.flatMap((one) => one ?? []).find((one) => one.name === name);
  };
  const isTrue = (type: string): boolean =>
    bench.status().conditions?.find((one) => one.type === type)?.status === "True";
  const deleted = (pod: Pod): Pod => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      deletionTimestamp: "2024-01-01T00:01:00Z",
      deletionGracePeriodSeconds: 30,
    },
  });

  describe("with sidecars,", () => {
    const pod = testPod({
      spec: { restartPolicy: "Never", initContainers: [side("s1"), side("s2")] },
    });

    it("starts one after the other, each when the one before it has started", async () => {
      bench.probes.starting.add("s1");
      await started(pod);
      assert.deepEqual(bench.runtime.running, ["s1-0"]);
      assert.equal(bench.status().phase, "Pending");
      assert.equal(isTrue("Initialized"), false);
      assert.equal(statusOf("s1")?.started, false);

      bench.probes.starting.clear();
      bench.probes.tell();
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["s1-0", "s2-0", "app-0"]);
      assert.equal(bench.status().phase, "Running");
      assert.ok(isTrue("Initialized") && isTrue("Ready"));
    });

    it("restarts one beside the others, and is not ready meanwhile", async () => {
      await started(pod);
      bench.runtime.exit("s1", 0);
      assert.equal(isTrue("Ready"), false);
      assert.equal(bench.status().phase, "Running");
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["s2-0", "app-0", "s1-1"]);
      assert.ok(isTrue("Ready"));
    });

    it("is over when the others are, and stops them in reverse", async () => {
      await started(pod);
      bench.runtime.log.length = 0;
      bench.runtime.exit("app", 0);
      await bench.settle();
      assert.deepEqual(bench.runtime.log, ["stop s2-0 30000", "stop s1-0 30000"]);
      assert.equal(bench.status().phase, "Succeeded");
      assert.equal(statusOf("s1")?.state.terminated?.exitCode, 143);
    });
  });

  describe("with probes,", () => {
    it("tells at once that a container is ready, and that it is not any more", async () => {
      bench.probes.unready.add("app");
      await started(testPod());
      assert.deepEqual([statusOf("app")?.started, statusOf("app")?.ready], [true, false]);
      bench.probes.unready.clear();
      bench.probes.tell();
      assert.ok(statusOf("app")?.ready);
      assert.ok(isTrue("Ready") && isTrue("ContainersReady"));
    });

    it("restarts a container that fails, in the time that the probe gives it", async () => {
      await started(testPod());
      bench.takeEvents();
      bench.probes.fail("app", { terminationGracePeriodSeconds: 7 });
      await bench.settle();
      assert.deepEqual(bench.runtime.log.slice(1, 3), ["stop app-0 7000", "start app-1"]);
      assert.equal(
        bench.takeEvents()[0],
        "Normal Killing Container app failed liveness probe, will be restarted",
      );
    });

    it("tells who is ready while a container that failed takes its time to stop", async () => {
      const containers = [testContainer("app"), testContainer("log")];
      bench.runtime.stubborn.add("app");
      await started(testPod({ spec: { containers } }));
      bench.probes.fail("app");
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-0", "log-0"]);
      bench.probes.unready.add("log");
      bench.probes.tell();
      assert.equal(statusOf("log")?.ready, false);
      assert.equal(isTrue("Ready"), false);
      await bench.clock.step(30_000);
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["log-0", "app-1"]);
    });

    it("ends a pod that is never restarted when its container fails", async () => {
      await started(testPod({ spec: { restartPolicy: "Never" } }));
      bench.takeEvents();
      bench.probes.fail("app");
      await bench.settle();
      assert.equal(bench.status().phase, "Failed");
      assert.deepEqual(bench.takeEvents(), ["Normal Killing Stopping container app"]);
    });

    it("asks on for readiness while it stops, and no more after that", async () => {
      bench.runtime.stubborn.add("app");
      const pod = testPod();
      const worker = await started(pod);
      worker.update(deleted(pod));
      await bench.settle();
      assert.deepEqual(bench.probes.log, ["stopping u1"]);
      bench.probes.unready.add("app");
      bench.probes.tell();
      assert.equal(statusOf("app")?.ready, false);
      await bench.clock.step(30_000);
      await worker.ended;
      assert.deepEqual(bench.probes.log, ["stopping u1", "forget u1"]);
    });
  });

  describe("with a postStart hook,", () => {
    const lifecycle = { postStart: { exec: { command: ["hello"] } } };
    const containers = [{ ...testContainer("app"), lifecycle }, testContainer("log")];
    const pod = testPod({ spec: { containers } });

    it("is neither started nor ready before it is done, and the next container waits", async () => {
      const done = Promise.withResolvers<{ exitCode: number }>();
      bench.runtime.onExec = () => done.promise;
      await started(pod);
      bench.probes.tell();
      assert.deepEqual(bench.runtime.running, ["app-0"]);
      assert.deepEqual([statusOf("app")?.started, statusOf("app")?.ready], [false, false]);

      done.resolve({ exitCode: 0 });
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-0", "log-0"]);
      assert.ok(statusOf("app")?.ready);
    });

    it("stops the container when it fails, and says why", async () => {
      bench.runtime.onExec = () => ({ exitCode: 1 });
      await started(pod);
      assert.deepEqual(bench.runtime.running, ["log-0"]);
      const reasons = bench.told.get("u1")?.flatMap(({ containerStatuses }) => {
        return containerStatuses?.[0]?.state.waiting?.reason ?? [];
      });
      assert.ok(reasons?.includes("PostStartHookError"));
      assert.equal(statusOf("app")?.state.waiting?.reason, "CrashLoopBackOff");
      const events = bench.takeEvents();
      assert.ok(events.includes("Warning FailedPostStartHook PostStartHook failed"));
      assert.ok(events.includes("Normal Killing FailedPostStartHook"));
    });

    it("is called off when the pod is deleted", async () => {
      bench.runtime.onExec = () => new Promise(() => undefined);
      const worker = await started(pod);
      worker.update(deleted(pod));
      await worker.ended;
      assert.equal(bench.runtime.execs[0]?.isCut, true);
      assert.deepEqual(bench.finished, ["u1"]);
    });
  });

  describe("with ephemeral containers,", () => {
    const withDebug = (targetContainerName?: string): Pod => {
      const pod = testPod();
      const debug = {
        ...testContainer("debug"),
        ...(targetContainerName && { targetContainerName }),
      };
      return { ...pod, spec: { ...pod.spec, ephemeralContainers: [debug] } };
    };

    it("starts one when it appears, never again, and is none the worse for it", async () => {
      const worker = await started(testPod());
      worker.update(withDebug("app"));
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-0", "debug-0"]);
      assert.deepEqual(bench.runtime.specs.at(-1)?.processes, { of: "c1" });
      assert.ok(statusOf("debug")?.state.running);

      bench.runtime.exit("debug", 1);
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-0"]);
      assert.equal(statusOf("debug")?.state.terminated?.exitCode, 1);
      assert.equal(bench.status().phase, "Running");
      assert.ok(isTrue("Ready"));
    });

    it("says that there is no such target, or that it does not run", async () => {
      const worker = await started(testPod({ spec: { restartPolicy: "Always" } }));
      worker.update(withDebug("other"));
      await bench.settle();
      assert.deepEqual(statusOf("debug")?.state.waiting, {
        reason: "CreateContainerConfigError",
        message: "unable to find target container other",
      });
    });

    it("stops it with the pod", async () => {
      const worker = await started(withDebug());
      assert.deepEqual(bench.runtime.running, ["debug-0", "app-0"]);
      worker.update(deleted(withDebug()));
      await worker.ended;
      assert.deepEqual(bench.runtime.running, []);
    });
  });

  describe("with a program that cannot be started,", () => {
    const failStarts = (count: number): void => {
      for (let i = 0; i < count; i++) {
        bench.runtime.failNext("start", new StartError("no such program"));
      }
    };

    it("has failed if it is not to be restarted", async () => {
      failStarts(1);
      await started(testPod({ spec: { restartPolicy: "Never" } }));
      assert.equal(bench.status().phase, "Failed");
      const { terminated } = statusOf("app")?.state ?? {};
      assert.deepEqual(
        [terminated?.reason, terminated?.exitCode, terminated?.message, terminated?.startedAt],
        ["StartError", 128, "no such program", "1970-01-01T00:00:00Z"],
      );
      assert.deepEqual(bench.takeEvents().slice(1), [
        "Normal Created Container created",
        "Warning Failed Error: no such program",
      ]);
      await bench.clock.step(60_000);
      assert.deepEqual(bench.runtime.log, []);
    });

    it("tries again as after a crash, and counts", async () => {
      failStarts(3);
      const worker = await started(testPod());
      assert.equal(statusOf("app")?.state.waiting?.reason, "RunContainerError");
      assert.equal(statusOf("app")?.restartCount, 0);
      await bench.clock.step(10_000);
      await bench.clock.step(10_000);
      assert.equal(statusOf("app")?.restartCount, 2);
      await bench.clock.step(10_000);
      assert.equal(statusOf("app")?.state.waiting?.reason, "CrashLoopBackOff");
      assert.equal(statusOf("app")?.lastState.terminated?.reason, "StartError");
      await bench.clock.step(10_000);
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-3"]);

      bench.runtime.exit("app", 1);
      await bench.settle();
      worker.update(deleted(testPod()));
      await worker.ended;
      assert.deepEqual(bench.finished, ["u1"]);
    });

    it("tries again without counting if it was not the program's fault", async () => {
      const cause = new Error("ENOSPC");
      bench.runtime.failNext("start", new StartError("no space left", { cause }));
      await started(testPod({ spec: { restartPolicy: "Never" } }));
      assert.equal(statusOf("app")?.state.waiting?.reason, "RunContainerError");
      await bench.clock.step(10_000);
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-0"]);
    });
  });

  it("keeps the logs of the last that ended, and none of older ones or of starts that failed", async () => {
    using dir = tempDir();
    const { parts, prepareContainer } = bench;
    const logged: PrepareContainer = async (of, signal) => {
      const name = `app/${of.attempt}.log`;
      dir.write({ [name]: "", [`${name}.20240101-000000`]: "" });
      return { ...(await prepareContainer(of, signal)), logPath: dir.join(name) };
    };
    for (let i = 0; i < 3; i++) bench.runtime.failNext("start", new StartError("no"));
    const worker = new PodWorker({ ...parts, prepareContainer: logged }, testPod());
    bench.runtime.onExit(() => worker.containerEnded());
    lives.push(worker.run(stop.signal));
    for (let i = 0; i < 6; i++) await bench.clock.step(10_000);
    assert.deepEqual(bench.runtime.running, ["app-3"]);
    for (const delayMs of [40_000, 80_000]) {
      bench.runtime.exit("app", 1);
      await bench.settle();
      await bench.clock.step(delayMs);
      await bench.settle();
    }
    assert.deepEqual(bench.runtime.running, ["app-5"]);
    const left = readdirSync(dir.join("app")).sort();
    assert.deepEqual(
      left,
      ["4", "5"].flatMap((one) => [`${one}.log`, `${one}.log.20240101-000000`]),
    );
  });

  it("begins with its init containers again after the machine was down", async () => {
    const pod = testPod({ spec: { initContainers: [testContainer("i1")] } });
    await started(pod);
    bench.runtime.exit("i1", 0);
    await bench.settle();
    stop.abort();
    await bench.settle();
    bench.runtime.exit("app", 137);
    const { parts } = bench;
    bench.runtime.log.length = 0;
    bench.takeEvents();
    stop = new AbortController();

    const node = { ...parts.node, bootId: "boot-2" };
    const worker = new PodWorker({ ...parts, node }, { ...pod, status: bench.status() });
    lives.push(worker.run(stop.signal));
    await bench.settle();

    assert.deepEqual(bench.runtime.log, ["start i1-1"]);
    assert.equal(
      bench.takeEvents()[0],
      "Normal SandboxChanged Pod sandbox changed, it will be killed and re-created.",
    );
  });

  it("ends a pod that took too much at once, and says so", async () => {
    const worker = await started(testPod());
    bench.takeEvents();
    worker.evict({ reason: "Evicted", message: "too much. " });
    await bench.settle();
    const { phase, reason, message } = bench.status();
    assert.deepEqual([phase, reason, message], ["Failed", "Evicted", "too much. "]);
    assert.equal(bench.runtime.log.at(-1), "stop app-0 2000");
    assert.deepEqual(bench.takeEvents(), [
      "Warning Evicted too much. ",
      "Normal Killing Stopping container app",
    ]);
  });

  it("says why it was ended also when one for debugging outlives the others", async () => {
    const plain = testPod({ spec: { restartPolicy: "Never", activeDeadlineSeconds: 5 } });
    bench.runtime.stubborn.add("debug");
    await started({
      ...plain,
      spec: { ...plain.spec, ephemeralContainers: [testContainer("debug")] },
    });
    await bench.clock.step(5000);
    await bench.settle();
    assert.deepEqual(bench.runtime.running, ["debug-0"]);
    bench.probes.tell();
    assert.equal(bench.status().phase, "Running");
    await bench.clock.step(30_000);
    await bench.settle();
    const { phase, reason } = bench.status();
    assert.deepEqual([phase, reason], ["Failed", "DeadlineExceeded"]);
  });

  it("says when a container ran out of memory", async () => {
    await started(testPod({ spec: { restartPolicy: "Never" } }));
    bench.runtime.killForMemory("app");
    await bench.settle();
    assert.equal(statusOf("app")?.state.terminated?.reason, "OOMKilled");
  });
});
