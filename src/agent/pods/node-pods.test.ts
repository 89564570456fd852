import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { ApiClient } from "../../client/api-client.ts";
import { halfRandom } from "../../client/testing/fake-client.ts";
import { MountError } from "../volumes/volumes.ts";
import { NodePods } from "./node-pods.ts";
import { notes } from "./pod-containers.ts";
import { PodSource } from "./pod-source.ts";
import { StatusWriter } from "./status-writer.ts";
import { PodBench } from "./testing/pod-bench.ts";
import { PodServer } from "./testing/pod-server.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

describe("NodePods", () => {
  let bench: PodBench;
  let server: PodServer;
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    bench = new PodBench();
    server = new PodServer();
    stop = new AbortController();
    usedBytes = 0;
  });

  afterEach(async () => {
    stop.abort();
    await settle();
    await running;
  });

  async function settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await bench.clock.step(0);
  }

  /** Removing files takes real time, if little. */
  async function until(isSo: () => boolean): Promise<void> {
    for (let i = 0; i < 10_000 && !isSo(); i++) await bench.clock.step(0);
  }

  /** Of every emptyDir. */
  let usedBytes = 0;

  async function start(): Promise<NodePods> {
    const { clock, logger } = bench;
    const base = { clock, random: halfRandom, logger };
    const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
    const client = new ApiClient({ connection, clock, timeoutMs: 1000, transport: server });
    const nodeUid = (): string => "node-uid";
    const source = new PodSource({ client, files: undefined, nodeName: "n1", nodeUid, ...base });
    const onServer = source.onServer.bind(source);
    const statuses = new StatusWriter({ pods: source.pods, onServer, ...base });
    const volumeUsage = (): Promise<number> => Promise.resolve(usedBytes);
    const pods = new NodePods({ ...bench.parts, source, statuses, volumeUsage });
    running = pods.run(stop.signal);
    await settle();
    return pods;
  }

  it("tells at once what probes find", async () => {
    bench.probes.unready.add("app");
    server.put(testPod());
    await start();
    const isReady = (): boolean | undefined =>
      server.pods.get("web")?.status.containerStatuses?.[0]?.ready;
    await until(() => isReady() === false);

    bench.probes.unready.clear();
    bench.probes.tell("u1");
    await until(() => isReady() === true);
    assert.equal(isReady(), true);
  });

  it("evicts a pod that has too much in an emptyDir, and no other", async () => {
    const volumes = [{ name: "scratch", emptyDir: { sizeLimit: "1Mi" } }];
    server.put(testPod({ spec: { volumes } }));
    server.put(testPod({ metadata: { uid: "u2", name: "free" } }));
    await start();
    usedBytes = 2 ** 21;
    await bench.clock.step(10_000);
    await settle();
    assert.deepEqual(bench.runtime.running, ["app-0"]);
    assert.ok(
      bench
        .takeEvents()
        .includes('Warning Evicted Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". '),
    );
  });

  it("starts a container that could not be made as soon as an object comes that it may need", async () => {
    bench.prepareFailure = new Error('configmap "app" not found');
    server.put(testPod());
    await start();
    assert.deepEqual(bench.runtime.running, []);

    bench.prepareFailure = undefined;
    bench.objects.tell(["u1"]);
    await settle();
    assert.deepEqual(bench.runtime.running, ["app-0"]);
  });

  it("starts a pod whose volumes were given up as soon as one of them comes", async () => {
    bench.volumes.mountFailure = new MountError("unmounted volumes=[v]");
    const pod = testPod();
    server.put(pod);
    await start();

    bench.volumes.mountFailure = undefined;
    bench.volumes.tell({ pod, volume: "v", content: undefined, failure: undefined });
    await settle();
    assert.deepEqual(bench.runtime.running, ["app-0"]);
  });

  it("tries again at once for what came while it was failing", async () => {
    const failing = Promise.withResolvers<void>();
    bench.volumes.mounting = failing.promise;
    server.put(testPod());
    await start();
    bench.objects.tell(["u1"]);
    bench.volumes.mounting = undefined;
    failing.reject(new MountError("unmounted volumes=[v]"));
    await settle();
    assert.deepEqual(bench.runtime.running, ["app-0"]);
  });

  it("says that the server is back each time that it lets itself be watched", async () => {
    bench.prepareFailure = new Error("Cannot reach the API server");
    server.put(testPod());
    await start();
    assert.deepEqual(bench.runtime.running, []);
    const before = bench.volumes.comebacks;

    bench.prepareFailure = undefined;
    server.endWatches();
    await settle();
    await bench.clock.step(1000);
    await settle();
    assert.equal(bench.volumes.comebacks, before + 1);
    assert.deepEqual(bench.runtime.running, ["app-0"]);
  });

  it("runs the pods that the server has for it, reports them, and lets them go", async () => {
    server.put(testPod());
    const pods = await start();
    assert.deepEqual(bench.runtime.running, ["app-0"]);
    assert.equal(server.pods.get("web")?.status.phase, "Running");

    const { status } = server.pods.get("web") ?? testPod();
    const deletionTimestamp = "2024-01-01T00:00:30Z";
    const metadata = { deletionTimestamp, deletionGracePeriodSeconds: 30 };
    server.put(testPod({ metadata, status }));
    await until(() => server.pods.size === 0 && pods.workers.size === 0);

    assert.deepEqual(bench.runtime.list(), []);
    assert.equal(server.pods.size, 0);
    assert.equal(pods.workers.size, 0);
    assert.equal(server.requests.filter((one) => one === "DELETE web").length, 1);
  });

  it("starts a pod only when the one of its name is gone", async () => {
    bench.runtime.stubborn.add("app");
    server.put(testPod());
    await start();

    server.remove("web");
    server.put(testPod({ metadata: { uid: "u2" }, spec: { containers: [testContainer("b")] } }));
    await settle();
    assert.deepEqual(bench.runtime.running, ["app-0"]);

    await bench.clock.step(30_000);
    await until(() => bench.runtime.running.length > 0);
    assert.deepEqual(bench.runtime.running, ["b-0"]);
  });

  it("stops what nobody knows any more, with the time that it once asked for, before its volumes go", async () => {
    bench.runtime.stubborn.add("old");
    const sandbox = { podName: "gone", podNamespace: "default", hostname: "gone" };
    await bench.runtime.makeSandbox({ podUid: "u9", hasSharedProcesses: false, ...sandbox });
    const gone = testPod({ metadata: { uid: "u9", name: "gone" } });
    const image = await bench.runtime.image("host");
    const prepared = {
      pod: gone,
      container: testContainer("old"),
      attempt: 0,
      image,
      targetId: undefined,
    };
    const spec = await bench.prepareContainer(prepared, stop.signal);
    await bench.runtime.start({ ...spec, annotations: { [notes.graceSeconds]: "12" } });
    server.put(testPod());
    await start();

    assert.ok(bench.runtime.log.includes("stop old-0 12000"));
    assert.deepEqual(bench.runtime.running, ["old-0", "app-0"]);
    assert.ok(!bench.volumes.log.includes("all wanted"));

    await bench.clock.step(12_000);
    await until(() => bench.runtime.sandboxes().length === 1);
    assert.deepEqual(bench.volumes.log.slice(-2), ["want u1", "all wanted"]);
    assert.deepEqual(bench.runtime.sandboxes(), ["u1"]);
  });

  it("runs the preStop hook of a pod that was deleted while there was no agent", async () => {
    const lifecycle = { preStop: { exec: { command: ["bye"] } } };
    const app = { ...testContainer("app"), lifecycle };
    server.put(testPod({ spec: { containers: [app], terminationGracePeriodSeconds: 12 } }));
    await start();
    assert.deepEqual(bench.runtime.running, ["app-0"]);
    stop.abort();
    await settle();
    await running;
    stop = new AbortController();
    server.remove("web");
    bench.runtime.log.length = 0;

    await start();
    await until(() => bench.runtime.sandboxes().length === 0);
    assert.deepEqual(bench.runtime.log.slice(0, 2), ["exec app-0 bye", "stop app-0 12000"]);
  });

  it("removes logs of a pod of which nothing else is left, and of no other", async () => {
    using dir = tempDir();
    bench = new PodBench(dir.path);
    const { paths } = bench.parts;
    const of = { namespace: "default", podName: "gone", podUid: "u9" };
    mkdirSync(paths.podLogs(of), { recursive: true });
    const own = paths.podLogs({ namespace: "default", podName: "web", podUid: "u1" });
    mkdirSync(own, { recursive: true });
    server.put(testPod());
    await start();
    await until(() => !existsSync(paths.podLogs(of)));

    assert.ok(!existsSync(paths.podLogs(of)));
    assert.ok(existsSync(own));
  });

  it("stops nothing as long as the server has not said what there is", async () => {
    await bench.runtime.makeSandbox({
      ...{ podUid: "u1", podName: "web", podNamespace: "default", hostname: "web" },
      hasSharedProcesses: false,
    });
    const image = await bench.runtime.image("host");
    const prepared = {
      pod: testPod(),
      container: testContainer("app"),
      attempt: 0,
      image,
      targetId: undefined,
    };
    await bench.runtime.start(await bench.prepareContainer(prepared, stop.signal));
    server.isAway = true;
    await start();
    await bench.clock.step(120_000);
    assert.deepEqual(bench.runtime.running, ["app-0"]);
    assert.deepEqual(bench.volumes.log, []);

    server.isAway = false;
    server.put(testPod());
    await bench.clock.step(60_000);
    await settle();
    assert.deepEqual(bench.runtime.log, ["start app-0"]);
    assert.deepEqual(bench.volumes.log, ["want u1", "all wanted"]);
  });

  it("tells of volumes that cannot be made", async () => {
    server.put(testPod());
    await start();
    bench.takeEvents();

    const failure = new Error('configmap "c" not found');
    bench.volumes.tell({ pod: testPod(), volume: "v", content: undefined, failure });

    assert.deepEqual(bench.takeEvents(), [
      'Warning FailedMount MountVolume.SetUp failed for volume "v" : configmap "c" not found',
    ]);
  });
});
