import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { PodWorker } from "./pod-worker.ts";
import { PodBench } from "./testing/pod-bench.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

describe("PodWorker, when the image of a container is changed", () => {
  let bench: PodBench;
  let stop: AbortController;
  let life: Promise<void>;

  beforeEach(() => {
    bench = new PodBench();
    stop = new AbortController();
  });

  afterEach(async () => {
    stop.abort();
    await bench.settle();
    await life;
  });

  const podOf = (image: string): Pod =>
    testPod({
      spec: { restartPolicy: "Never", containers: [{ ...testContainer("app"), image }] },
    });

  it("lets volumes follow the pod while the old one takes its time to stop", async () => {
    bench.runtime.stubborn.add("app");
    const worker = new PodWorker(bench.parts, podOf("host"));
    life = worker.run(stop.signal);
    await bench.settle();
    worker.update(podOf("host:2"));
    await bench.settle();
    assert.deepEqual(bench.runtime.running, ["app-0"]);

    const { metadata, ...rest } = podOf("host:2");
    worker.update({ ...rest, metadata: { ...metadata, labels: { tier: "front" } } });
    assert.deepEqual(bench.volumes.wanted.get("u1")?.metadata.labels, { tier: "front" });
    await bench.clock.step(30_000);
  });

  it("goes on with the new one, also if nothing else would restart it", async () => {
    const worker = new PodWorker(bench.parts, podOf("host"));
    using _exits = bench.runtime.onExit(() => worker.containerEnded());
    life = worker.run(stop.signal);
    await bench.settle();

    worker.update(podOf("host:2"));
    await bench.settle();
    await bench.clock.step(60_000);
    await bench.settle();

    assert.deepEqual(bench.runtime.running, ["app-1"]);
    assert.deepEqual(
      new Set(bench.told.get("u1")?.map(({ phase }) => phase)),
      new Set(["Pending", "Running"]),
    );
  });
});
