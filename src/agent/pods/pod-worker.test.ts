import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { StartError } from "../../runtime/runtime.ts";
import { MountError } from "../volumes/volumes.ts";
import { PodWorker } from "./pod-worker.ts";
import { PodBench } from "./testing/pod-bench.ts";
import { type PodWishes, testContainer, testPod } from "./testing/test-pod.ts";

describe("PodWorker", () => {
  let bench: PodBench;
  let stop: AbortController;
  let lives: Promise<void>[];

  beforeEach(() => {
    bench = new PodBench();
    stop = new AbortController();
    lives = [];
    bench.runtime.onExit(() => {
      for (const one of workers) one.containerEnded();
    });
  });

  let workers: PodWorker[] = [];

  afterEach(async () => {
    stop.abort();
    await bench.settle();
    await Promise.all(lives);
    workers = [];
  });

  async function started(pod: Pod = testPod()): Promise<PodWorker> {
    const worker = new PodWorker(bench.parts, pod);
    workers.push(worker);
    lives.push(worker.run(stop.signal));
    await bench.settle();
    return worker;
  }

  const waiting = (name = "app"): string => {
    const all = [
      ...(bench.status().initContainerStatuses ?? []),
      ...(bench.status().containerStatuses ?? []),
    ];
    const { reason = "", message } = all.find((one) => one.name === name)?.state.waiting ?? {};
    return message === undefined ? reason : `${reason}: ${message}`;
  };

  const deleted = (wishes: PodWishes = {}, seconds = 30): Pod =>
    testPod({
      ...wishes,
      metadata: {
        ...wishes.metadata,
        deletionTimestamp: "2024-01-01T00:01:00Z",
        deletionGracePeriodSeconds: seconds,
      },
    });

  describe("starting", () => {
    it("starts a pod and says what it did", async () => {
      await started();

      assert.deepEqual(bench.runtime.running, ["app-0"]);
      assert.equal(bench.status().phase, "Running");
      assert.deepEqual(bench.takeEvents(), [
        'Normal Pulled Container image "host" already present on machine and can be accessed by the pod',
        "Normal Created Container created",
        "Normal Started Container started",
      ]);
    });

    it("holds objects and volumes before it starts anything", async () => {
      bench.volumes.mounting = new Promise(() => undefined);
      await started();

      assert.ok(bench.objects.registered.has("u1"));
      assert.deepEqual(bench.volumes.log, ["want u1"]);
      assert.deepEqual(bench.runtime.log, []);
      assert.equal(waiting(), "ContainerCreating");
    });

    it("keeps what whoever prepares a container notes on it, beside its own notes", async () => {
      await started();

      assert.deepEqual(Object.keys(bench.runtime.specs[0]?.annotations ?? {}), [
        "from",
        "driftless.dev/container-hash",
        "driftless.dev/restart-backoff-ms",
        "driftless.dev/termination-grace-seconds",
        "driftless.dev/boot-id",
      ]);
    });

    it("runs init containers one after the other, then the others", async () => {
      const initContainers = [testContainer("i1"), testContainer("i2")];
      await started(testPod({ spec: { initContainers } }));
      assert.deepEqual(bench.runtime.running, ["i1-0"]);
      assert.equal(waiting(), "PodInitializing");

      bench.runtime.exit("i1");
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["i2-0"]);

      bench.runtime.exit("i2");
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-0"]);
      assert.equal(bench.status().phase, "Running");
    });

    it("tries again ten seconds after its volumes could not be mounted", async () => {
      bench.volumes.mountFailure = new MountError("unmounted volumes=[v]");
      await started();
      assert.deepEqual(bench.takeEvents(), [
        "Warning FailedMount Unable to attach or mount volumes: unmounted volumes=[v]",
      ]);

      bench.volumes.mountFailure = undefined;
      await bench.clock.step(9999);
      assert.deepEqual(bench.runtime.running, []);
      await bench.clock.step(1);
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-0"]);
    });

    it("says why a container cannot be made, and starts the others", async () => {
      bench.runtime.failNext("start", new StartError("no such program"));
      const containers = [testContainer("app"), testContainer("log")];
      await started(testPod({ spec: { containers } }));

      assert.equal(waiting(), "RunContainerError: no such program");
      assert.deepEqual(bench.runtime.running, ["log-0"]);
      assert.ok(bench.takeEvents().includes("Warning Failed Error: no such program"));
    });

    it("tells problems of making from problems of running", async () => {
      bench.runtime.failNext("start", new Error("disk full"));
      await started();
      assert.equal(waiting(), "CreateContainerError: disk full");

      bench.prepareFailure = new Error('configmap "x" not found');
      await bench.clock.step(10_000);
      await bench.settle();
      assert.equal(waiting(), 'CreateContainerConfigError: configmap "x" not found');
    });

    it("looks for a missing image less and less often", async () => {
      bench.runtime.missingImages.add("host");
      await started();
      assert.equal(waiting(), "ErrImagePull: no image host here");
      assert.deepEqual(bench.takeEvents(), [
        'Warning Failed Failed to pull image "host": no image host here',
        "Warning Failed Error: ErrImagePull",
      ]);

      await bench.clock.step(1000);
      await bench.settle();
      const text =
        'ImagePullBackOff: Back-off pulling image "host": ErrImagePull: no image host here';
      assert.equal(waiting(), text);
      await bench.clock.step(9000);
      await bench.settle();
      assert.match(waiting(), /^ErrImagePull/);
      bench.runtime.missingImages.clear();
      await bench.clock.step(19_999);
      assert.deepEqual(bench.runtime.running, []);
      await bench.clock.step(1);
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-0"]);
    });

    it("does not look for an image whose name is none, nor wait for one that is never pulled", async () => {
      const never = { ...testContainer("never", "gone"), imagePullPolicy: "Never" };
      bench.runtime.missingImages.add("gone");
      await started(testPod({ spec: { containers: [testContainer("bad", "A:B:C"), never] } }));

      assert.match(waiting("bad"), /^InvalidImageName: Failed to apply default image tag "A:B:C"/);
      assert.equal(
        waiting("never"),
        'ErrImageNeverPull: Container image "gone" is not present with pull policy of Never',
      );
    });

    it("rejects a pod that is made for another system, and leaves nothing behind", async () => {
      const worker = await started(testPod({ spec: { os: { name: "windows" } } }));

      const { phase, reason, message } = bench.status();
      assert.deepEqual(
        { phase, reason, message },
        {
          phase: "Failed",
          reason: "PodOSNotSupported",
          message: "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS",
        },
      );
      assert.equal(worker.stage, "terminated");
      assert.deepEqual(bench.runtime.sandboxes(), []);
      worker.update(deleted());
      await worker.ended;
      assert.deepEqual(bench.finished, ["u1"]);
    });
  });

  describe("while it runs", () => {
    it("restarts at once the first time, then after 10 s, and says so meanwhile", async () => {
      await started();
      bench.runtime.exit("app", 1);
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-1"]);
      bench.takeEvents();

      bench.runtime.exit("app", 1);
      await bench.settle();
      const text = "back-off 10s restarting failed container=app pod=web_default(u1)";
      assert.equal(waiting(), `CrashLoopBackOff: ${text}`);
      assert.equal(bench.status().containerStatuses?.[0]?.lastState.terminated?.exitCode, 1);
      assert.equal(bench.status().phase, "Running");
      assert.deepEqual(bench.takeEvents(), [
        "Warning BackOff Back-off restarting failed container app in pod web_default(u1)",
      ]);

      await bench.clock.step(9999);
      assert.deepEqual(bench.runtime.running, []);
      await bench.clock.step(1);
      await bench.settle();
      assert.deepEqual(bench.runtime.running, ["app-2"]);
      assert.deepEqual(
        bench.runtime.list().map(({ name, attempt }) => `${name}-${attempt}`),
        ["app-1", "app-2"],
      );
      assert.equal(bench.status().containerStatuses?.[0]?.restartCount, 2);
    });

    it("tells that a container ended even while something else keeps it busy", async () => {
      const worker = await started();
      bench.volumes.mounting = new Promise(() => undefined);
      worker.wake();
      await bench.settle();

      bench.runtime.exit("app", 3);

      assert.equal(bench.status().containerStatuses?.[0]?.state.terminated?.exitCode, 3);
    });

    it("replaces a container whose image changed, and no other", async () => {
      const containers = [testContainer("app"), testContainer("log")];
      const worker = await started(testPod({ spec: { containers } }));
      bench.takeEvents();

      const other = [testContainer("app", "v2"), testContainer("log")];
      worker.update(testPod({ spec: { containers: other } }));
      await bench.settle();

      assert.deepEqual(bench.runtime.running, ["log-0", "app-1"]);
      assert.equal(
        bench.takeEvents()[0],
        "Normal Killing Container app definition changed, will be restarted",
      );
    });

    it("syncs at once when labels change and not when the status does", async () => {
      const worker = await started();
      const waits = bench.told.get("u1")?.length;
      worker.update(testPod({ status: { phase: "Running" } }));
      await bench.settle();
      assert.equal(bench.told.get("u1")?.length, waits);

      worker.update(testPod({ metadata: { labels: { a: "b" } } }));
      await bench.settle();
      assert.ok((bench.told.get("u1")?.length ?? 0) > (waits ?? 0));
      assert.deepEqual(bench.volumes.wanted.get("u1")?.metadata.labels, { a: "b" });
    });

    it("syncs once more for everything that happens during a sync", async () => {
      const mounting = Promise.withResolvers<void>();
      bench.volumes.mounting = mounting.promise;
      const worker = await started();
      for (let i = 0; i < 5; i++) {
        worker.update(testPod({ metadata: { labels: { i: String(i) } } }));
      }
      const before = bench.told.get("u1")?.length ?? 0;

      bench.volumes.mounting = undefined;
      mounting.resolve();
      await bench.settle();

      // One report ends the sync that waited, and two are of the one that follows.
      assert.equal((bench.told.get("u1")?.length ?? 0) - before, 3);
      assert.deepEqual(bench.volumes.wanted.get("u1")?.metadata.labels, { i: "4" });
    });

    it("is looked at after a minute although nothing happened", async () => {
      await started();
      const told = bench.told.get("u1")?.length ?? 0;
      await bench.clock.step(59_999);
      assert.equal(bench.told.get("u1")?.length, told);
      await bench.clock.step(1);
      assert.ok((bench.told.get("u1")?.length ?? 0) > told);
    });

    it("passes its readiness gates when somebody opens them", async () => {
      const spec = { readinessGates: [{ conditionType: "a.b/c" }] };
      const worker = await started(testPod({ spec }));
      const isReady = (): string | undefined =>
        bench.status().conditions?.find(({ type }) => type === "Ready")?.status;
      assert.equal(isReady(), "False");

      const conditions = [{ type: "a.b/c", status: "True" }];
      worker.update(testPod({ spec, status: { phase: "Running", conditions } }));

      assert.equal(isReady(), "True");
    });
  });

  describe("ending", () => {
    it("succeeds when all has succeeded, lets go of volumes and keeps exit codes", async () => {
      const worker = await started(testPod({ spec: { restartPolicy: "OnFailure" } }));
      bench.runtime.exit("app", 0);
      await bench.settle();

      assert.equal(bench.status().phase, "Succeeded");
      assert.equal(worker.stage, "terminated");
      assert.deepEqual(bench.volumes.log, ["want u1", "unwant u1"]);
      assert.equal(bench.objects.registered.size, 0);
      assert.equal(bench.runtime.list().length, 1);
      assert.deepEqual(bench.finished, []);

      worker.remove();
      await worker.ended;
      assert.deepEqual(bench.runtime.list(), []);
      assert.deepEqual(bench.runtime.sandboxes(), []);
    });

    it("stops a deleted pod, then takes down what it had, then lets it go", async () => {
      const containers = [testContainer("app"), testContainer("log")];
      const worker = await started(testPod({ spec: { containers } }));
      bench.runtime.log.length = 0;
      bench.takeEvents();

      worker.update(deleted({ spec: { containers } }, 7));
      await worker.ended;

      assert.deepEqual(bench.runtime.log, [
        "stop log-0 7000",
        "stop app-0 7000",
        "remove log-0",
        "remove app-0",
        "remove sandbox u1",
      ]);
      assert.deepEqual(bench.takeEvents(), [
        "Normal Killing Stopping container log",
        "Normal Killing Stopping container app",
      ]);
      assert.deepEqual(bench.volumes.log, ["want u1", "unwant u1"]);
      assert.equal(bench.status().phase, "Failed");
      assert.equal(bench.status().containerStatuses?.[0]?.state.terminated?.exitCode, 143);
      assert.deepEqual(bench.finished, ["u1"]);
    });

    it("does not say that a pod is over while a container runs", async () => {
      bench.runtime.stubborn.add("app");
      const worker = await started();

      worker.update(deleted());
      await bench.clock.step(29_999);
      assert.equal(bench.status().phase, "Running");
      assert.deepEqual(bench.volumes.log, ["want u1"]);

      await bench.clock.step(1);
      await worker.ended;
      assert.equal(bench.status().containerStatuses?.[0]?.state.terminated?.exitCode, 137);
    });

    it("hurries when the grace period gets shorter", async () => {
      bench.runtime.stubborn.add("app");
      const worker = await started();
      worker.update(deleted());
      await bench.clock.step(5000);
      assert.deepEqual(bench.runtime.running, ["app-0"]);

      worker.update(deleted({}, 1));
      await bench.clock.step(2000);

      assert.deepEqual(bench.runtime.running, []);
      await worker.ended;
    });

    it("leaves off waiting for volumes when it is deleted, and starts nothing more", async () => {
      bench.volumes.mounting = new Promise(() => undefined);
      const worker = await started();

      worker.update(deleted());
      await worker.ended;

      assert.deepEqual(bench.runtime.log, []);
      assert.deepEqual(bench.finished, ["u1"]);
    });

    it("tells nobody how a pod ends that the server does not know any more", async () => {
      const worker = await started();
      const told = bench.told.get("u1")?.length;

      worker.remove();
      await worker.ended;

      assert.equal(bench.told.get("u1")?.length, told);
      assert.deepEqual(bench.finished, []);
      assert.deepEqual(bench.runtime.list(), []);
      assert.ok(bench.runtime.log.includes("stop app-0 30000"));
    });

    it("tries until the volumes are gone before it lets a pod go", async () => {
      bench.volumes.unmountFailure = new MountError("mounted volumes=[v]");
      const worker = await started();
      worker.update(deleted());
      await bench.settle();
      assert.deepEqual(bench.finished, []);
      assert.ok(bench.objects.registered.has("u1"));

      bench.volumes.unmountFailure = undefined;
      await bench.clock.step(10_000);
      await worker.ended;
      assert.deepEqual(bench.finished, ["u1"]);
    });

    it("ends a pod when its deadline has passed", async () => {
      await started(testPod({ spec: { activeDeadlineSeconds: 20 } }));
      await bench.clock.step(19_999);
      assert.equal(bench.status().phase, "Running");
      await bench.clock.step(1);
      await bench.settle();

      assert.deepEqual(bench.runtime.running, []);
      assert.equal(bench.status().phase, "Failed");
      assert.equal(bench.status().reason, "DeadlineExceeded");
    });

    it("leaves the status of an evicted pod as it is", async () => {
      const worker = await started(testPod({ status: { phase: "Failed", reason: "Evicted" } }));

      assert.equal(worker.stage, "terminated");
      assert.equal(bench.told.size, 0);
      assert.deepEqual(bench.runtime.log, []);
    });

    it("stops a pod that the server says is over", async () => {
      const worker = await started();
      worker.update(testPod({ status: { phase: "Failed", reason: "NodeLost" } }));
      await bench.settle();

      assert.deepEqual(bench.runtime.running, []);
      assert.equal(bench.status().reason, "NodeLost");
    });
  });

  it("takes over what runs after a restart of the agent, and restarts nothing", async () => {
    await started();
    stop.abort();
    await bench.settle();
    workers = [];
    stop = new AbortController();
    assert.deepEqual(bench.runtime.running, ["app-0"]);
    const { phase = "" } = bench.status();

    const worker = await started(testPod({ status: { ...bench.status(), phase } }));

    assert.deepEqual(bench.runtime.log, ["start app-0"]);
    assert.equal(bench.status().phase, "Running");
    assert.equal(worker.stage, "syncing");
  });

  it("goes on with the back-off of before after a restart of the agent", async () => {
    await started();
    bench.runtime.exit("app", 1);
    await bench.settle();
    stop.abort();
    await bench.settle();
    workers = [];
    stop = new AbortController();
    bench.runtime.exit("app", 1);

    await started();

    assert.match(waiting(), /^CrashLoopBackOff: back-off 10s /);
  });

  it("counts pods by phase, syncs and restarts", async () => {
    await started();
    bench.runtime.exit("app", 1);
    await bench.settle();
    const text = await bench.metrics.text();

    assert.match(text, /^driftless_agent_pods\{phase="Running"\} 1$/m);
    assert.match(text, /^driftless_agent_container_restarts_total 1$/m);
    assert.match(text, /^kubelet_pod_worker_duration_seconds_count\{operation_type="sync"\} \d+$/m);
  });
});
