import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PodWorkers } from "./pod-workers.ts";
import { PodBench } from "./testing/pod-bench.ts";
import { testPod } from "./testing/test-pod.ts";

async function until(bench: PodBench, isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 10_000 && !isSo(); i++) await bench.clock.step(0);
  assert.ok(isSo());
}

describe("PodWorkers", () => {
  it("starts a static pod again that was taken away and put back while it stopped", async () => {
    const bench = new PodBench();
    bench.runtime.stubborn.add("app");
    const workers = new PodWorkers(bench.parts);
    const stop = new AbortController();
    const running = workers.run(stop.signal);
    workers.update(testPod());
    await bench.settle();

    workers.remove(testPod());
    await bench.clock.step(1000);
    workers.update(testPod());
    await bench.settle();
    assert.deepEqual(bench.runtime.log, ["start app-0", "stop app-0 30000"]);

    await bench.clock.step(30_000);
    await until(bench, () => bench.runtime.running.length === 1);
    assert.deepEqual(bench.runtime.log.slice(-2), ["remove sandbox u1", "start app-0"]);
    stop.abort();
    await running;
  });

  it("does not begin again with a deleted pod that the server still has for a moment", async () => {
    const bench = new PodBench();
    const workers = new PodWorkers(bench.parts);
    const stop = new AbortController();
    const running = workers.run(stop.signal);
    const metadata = { deletionTimestamp: "2024-01-01T00:00:00Z", deletionGracePeriodSeconds: 1 };
    workers.update(testPod({ metadata }));
    await until(bench, () => workers.size === 0);

    workers.update(testPod({ metadata: { ...metadata, resourceVersion: "2" } }));

    assert.equal(workers.size, 0);
    assert.deepEqual(bench.finished, ["u1"]);
    stop.abort();
    await running;
  });

  it("leaves everything running when it ends", async () => {
    const bench = new PodBench();
    const workers = new PodWorkers(bench.parts);
    const stop = new AbortController();
    workers.update(testPod());
    const running = workers.run(stop.signal);
    await bench.settle();

    stop.abort();
    await running;

    assert.deepEqual(bench.runtime.running, ["app-0"]);
    assert.deepEqual(bench.volumes.log, ["want u1"]);
  });
});
