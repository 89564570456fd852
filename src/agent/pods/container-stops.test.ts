import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { Container, Pod } from "../../api/types.ts";
import { ContainerStops, type StopRequest } from "./container-stops.ts";
import { PodBench } from "./testing/pod-bench.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

const side = (name: string): Container => ({ ...testContainer(name), restartPolicy: "Always" });
const hooked = (container: Container, command: string): Container => ({
  ...container,
  lifecycle: { preStop: { exec: { command: [command] } } },
});

describe("ContainerStops", () => {
  let bench: PodBench;
  let stops: ContainerStops;
  beforeEach(() => {
    bench = new PodBench();
    stops = new ContainerStops(bench.parts);
  });

  /** Starts all containers of the pod, and asks to stop them. */
  async function requests(pod: Pod, graceSeconds: number): Promise<StopRequest[]> {
    const { runtime } = bench;
    await runtime.makeSandbox({
      ...{ podUid: "u1", podName: "web", podNamespace: "default", hostname: "web" },
      hasSharedProcesses: false,
    });
    const image = await runtime.image("host");
    const { signal } = new AbortController();
    const all = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])];
    for (const container of all) {
      const of = { pod, container, attempt: 0, image, targetId: undefined };
      await runtime.start(await bench.prepareContainer(of, signal));
    }
    runtime.log.length = 0;
    return runtime.list().map((container) => {
      return { pod, container, message: `Stopping container ${container.name}`, graceSeconds };
    });
  }
  const first = (all: readonly StopRequest[]): StopRequest => all[0] ?? assert.fail("no container");

  it("stops sidecars after the others, the last one first", async () => {
    const initContainers = [side("s1"), side("s2")];
    bench.runtime.stubborn.add("app");
    const stopping = stops.stopAll(await requests(testPod({ spec: { initContainers } }), 30));
    await bench.settle();
    assert.deepEqual(bench.runtime.log, ["stop app-0 30000"]);

    await bench.clock.step(30_000);
    await stopping;
    // Nothing is left of the grace time: they get the least.
    assert.deepEqual(
      bench.runtime.log,
      ["stop app-0 30000", "stop s1-0 2000", "stop s2-0 2000"].toSorted(),
    );
  });

  it("gives sidecars what is left of the time", async () => {
    const initContainers = [side("s1"), side("s2")];
    const all = await requests(testPod({ spec: { initContainers } }), 30);
    const stopping = stops.stopAll(all);
    await stopping;
    assert.deepEqual(bench.runtime.log, ["stop app-0 30000", "stop s2-0 30000", "stop s1-0 30000"]);
  });

  it("runs the preStop hook first, and takes its time off the grace time", async () => {
    const containers = [hooked(testContainer("app"), "bye")];
    const done = Promise.withResolvers<{ exitCode: number }>();
    bench.runtime.onExec = () => done.promise;
    const stopping = stops.stop(first(await requests(testPod({ spec: { containers } }), 10)));
    await bench.clock.step(4000);
    assert.deepEqual(bench.runtime.log, ["exec app-0 bye"]);

    done.resolve({ exitCode: 0 });
    await stopping;
    assert.deepEqual(bench.runtime.log, ["exec app-0 bye", "stop app-0 6000"]);
    assert.deepEqual(bench.takeEvents(), ["Normal Killing Stopping container app"]);
  });

  it("stops who spends all its time in the hook, two seconds later, and ends the hook", async () => {
    const containers = [hooked(testContainer("app"), "bye")];
    bench.runtime.onExec = () => new Promise(() => undefined);
    const stopping = stops.stop(first(await requests(testPod({ spec: { containers } }), 10)));
    await bench.clock.step(10_000);
    await stopping;
    assert.deepEqual(bench.runtime.log, ["exec app-0 bye", "stop app-0 2000"]);
    assert.equal(bench.runtime.execs[0]?.isCut, true);
  });

  it("tells that a hook failed, and not what it said", async () => {
    const containers = [hooked(testContainer("app"), "bye")];
    bench.runtime.onExec = () => ({ exitCode: 1, stderr: "secret" });
    await stops.stop(first(await requests(testPod({ spec: { containers } }), 10)));
    assert.deepEqual(bench.takeEvents(), [
      "Normal Killing Stopping container app",
      "Warning FailedPreStopHook PreStopHook failed",
    ]);
    assert.equal(bench.runtime.log.at(-1), "stop app-0 10000");
  });

  it("runs no hook twice and tells nothing twice when a container is stopped twice", async () => {
    const containers = [hooked(testContainer("app"), "bye")];
    const done = Promise.withResolvers<{ exitCode: number }>();
    bench.runtime.onExec = () => done.promise;
    const request = first(await requests(testPod({ spec: { containers } }), 10));
    const both = [stops.stop(request), stops.stopAll([{ ...request, message: "other" }])];
    await bench.clock.step(1000);
    done.resolve({ exitCode: 0 });
    await Promise.all(both);
    assert.equal(bench.runtime.execs.length, 1);
    assert.equal(bench.takeEvents().length, 1);
  });

  it("waits no longer for a hook when the time gets shorter", async () => {
    const containers = [hooked(testContainer("app"), "bye")];
    bench.runtime.onExec = () => new Promise(() => undefined);
    const stopping = stops.stop(first(await requests(testPod({ spec: { containers } }), 60)));
    await bench.clock.step(1000);
    stops.hurry(3);
    await bench.clock.step(2999);
    assert.deepEqual(bench.runtime.running, ["app-0"]);
    await bench.clock.step(1);
    await stopping;
    assert.equal(bench.runtime.log.at(-1), "stop app-0 2000");
  });

  it("remembers nothing of containers that have ended", async () => {
    let looks = 0;
    const { clock } = bench;
    const counted = {
      now: () => clock.now(),
      monotonicMs: () => {
        looks++;
        return clock.monotonicMs();
      },
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
      schedule: (ms: number, callback: () => void) => clock.schedule(ms, callback),
    };
    const counting = new ContainerStops({ ...bench.parts, clock: counted });
    await counting.stop(first(await requests(testPod(), 10)));
    looks = 0;
    // It looks at the clock once for each that is known to stop.
    counting.hurry(1);
    assert.equal(looks, 0);
  });

  it("leaves what it has not stopped to the next agent when it ends", async () => {
    const containers = [hooked(testContainer("app"), "bye")];
    bench.runtime.onExec = () => new Promise(() => undefined);
    const stopping = stops.stop(first(await requests(testPod({ spec: { containers } }), 60)));
    await bench.settle();
    stops.end();
    await assert.rejects(stopping, { name: "AbortError" });
    assert.deepEqual(bench.runtime.running, ["app-0"]);
    assert.equal(bench.runtime.execs[0]?.isCut, true);
    assert.equal(bench.clock.waiting, 0);
  });
});
