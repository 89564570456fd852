import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { ExecError } from "../../runtime/runtime.ts";
import { testContainer, testPod } from "../pods/testing/test-pod.ts";
import { ProbeBench, probedPod } from "./testing/probe-bench.ts";

const S = 1000;

/** What is known of a container: started, ready, and which probe says that it has to go. */
function stateOf({ probes }: ProbeBench, id: string): string {
  const words = [
    ...(probes.isStarted(id) ? ["started"] : []),
    ...(probes.isReady(id) ? ["ready"] : []),
    ...(probes.failure(id) === undefined ? [] : [`failed ${probes.failure(id)?.probe}`]),
  ];
  return words.join(" ");
}

async function runningBench(): Promise<ProbeBench> {
  const bench = new ProbeBench();
  await bench.run();
  // The agent is not new any more.
  await bench.clock.step(60 * S);
  return bench;
}

describe("a container without probes", () => {
  it("has started and is ready as long as it runs", async () => {
    await using bench = await runningBench();
    const pod = probedPod({});
    const id = await bench.start(pod);
    assert.equal(stateOf(bench, id), "started ready");
    bench.runtime.exit("app");
    assert.equal(stateOf(bench, id), "");
    assert.deepEqual(bench.changes, ["u1"]);
    assert.equal(bench.clock.waiting, 0);
  });

  it("is not known before its pod is followed", async () => {
    await using bench = await runningBench();
    const { id } = await bench.startUnseen(probedPod({}));
    assert.equal(stateOf(bench, id), "");
  });

  it("has started when it runs also if it is to end before others start", async () => {
    await using bench = await runningBench();
    const init = { ...testContainer("init"), startupProbe: { exec: { command: ["x"] } } };
    const pod = testPod({ spec: { initContainers: [init] } });
    const id = await bench.start(pod, "init");
    assert.equal(stateOf(bench, id), "started ready");
    await bench.clock.step(60 * S);
    assert.deepEqual(bench.asked, []);
  });
});

describe("readiness", () => {
  it("is not there until the first success, and that is told", async () => {
    await using bench = await runningBench();
    bench.script("readiness", "bad", "ok");
    const id = await bench.start(probedPod({ readinessProbe: { periodSeconds: 5 } }));
    assert.equal(stateOf(bench, id), "started");
    assert.deepEqual(bench.changes, []);
    await bench.clock.step(5 * S);
    assert.equal(stateOf(bench, id), "started ready");
    assert.deepEqual(bench.changes, ["u1"]);
    assert.deepEqual(bench.asked, ["readiness 60000", "readiness 65000"]);
  });

  it("goes after as many failures in a row as the probe wants, and comes back in the same way", async () => {
    await using bench = await runningBench();
    const pod = probedPod({
      readinessProbe: { periodSeconds: 1, failureThreshold: 3, successThreshold: 2 },
    });
    bench.script("readiness", "ok", "ok", "bad", "bad", "ok", "bad", "bad", "bad", "ok", "ok");
    const id = await bench.start(pod);
    const seen = [];
    for (let i = 0; i < 10; i++) {
      seen.push(bench.probes.isReady(id) ? 1 : 0);
      await bench.clock.step(S);
    }
    assert.deepEqual(seen, [0, 1, 1, 1, 1, 1, 1, 0, 0, 1]);
    assert.deepEqual(bench.changes, ["u1", "u1", "u1"]);
  });

  it("is told of each failure in an Event about the container", async () => {
    await using bench = await runningBench();
    bench.script("readiness", "bad");
    await bench.start(probedPod({ readinessProbe: { periodSeconds: 5 } }));
    await bench.clock.step(5 * S);
    const [event] = bench.events;
    assert.deepEqual(event?.object, {
      ...{ kind: "Pod", namespace: "default", name: "web", uid: "u1" },
      ...{ apiVersion: "v1", resourceVersion: "1", fieldPath: "spec.containers{app}" },
    });
    const text = "Warning Unhealthy Readiness probe failed: out err";
    assert.deepEqual(bench.takeEvents(), [text, text]);
  });

  it("is asked while the pod terminates, until it is forgotten", async () => {
    await using bench = await runningBench();
    bench.script("readiness", "ok", "bad");
    const pod = probedPod({ readinessProbe: { periodSeconds: 1, failureThreshold: 1 } });
    const id = await bench.start(pod);
    bench.probes.stopping("u1");
    assert.equal(stateOf(bench, id), "started ready");
    await bench.clock.step(S);
    assert.equal(stateOf(bench, id), "started");
    bench.probes.forget("u1");
    bench.takeAsked();
    await bench.clock.step(10 * S);
    assert.deepEqual(bench.asked, []);
    assert.equal(stateOf(bench, id), "");
    assert.equal(bench.clock.waiting, 0);
  });
});

describe("liveness", () => {
  it("is there before the first answer", async () => {
    await using bench = await runningBench();
    bench.script("liveness", "hang");
    const id = await bench.start(probedPod({ livenessProbe: {} }));
    assert.equal(stateOf(bench, id), "started ready");
  });

  it("fails after as many failures as the probe wants; then nothing is asked until there is a new container", async () => {
    await using bench = await runningBench();
    bench.script("liveness", "ok", "bad");
    const pod = probedPod({
      livenessProbe: { periodSeconds: 10, failureThreshold: 3, terminationGracePeriodSeconds: 7 },
    });
    const id = await bench.start(pod);
    await bench.clock.step(20 * S);
    assert.equal(stateOf(bench, id), "started ready");
    await bench.clock.step(10 * S);
    assert.deepEqual(bench.probes.failure(id), {
      probe: "Liveness",
      terminationGracePeriodSeconds: 7,
    });
    assert.deepEqual(bench.changes, ["u1"]);
    bench.takeAsked();
    await bench.clock.step(100 * S);
    assert.deepEqual(bench.asked, []);
    assert.equal(bench.clock.waiting, 0);
    bench.runtime.exit("app", 137);
    assert.equal(stateOf(bench, id), "failed Liveness");
    const next = await bench.start(pod);
    assert.equal(stateOf(bench, next), "started ready");
    assert.equal(bench.probes.failure(id), undefined);
    await bench.clock.step(10 * S);
    assert.equal(stateOf(bench, next), "started ready", "two failures of the new one, not five");
    await bench.clock.step(10 * S);
    assert.equal(stateOf(bench, next), "started ready failed Liveness");
  });

  it("has no grace period of its own unless the probe says so", async () => {
    await using bench = await runningBench();
    bench.script("liveness", "bad");
    const id = await bench.start(probedPod({ livenessProbe: { failureThreshold: 1 } }));
    assert.deepEqual(bench.probes.failure(id), {
      probe: "Liveness",
      terminationGracePeriodSeconds: undefined,
    });
  });

  for (const how of ["stopping", "deletionTimestamp"] as const) {
    it(`is not asked any more with ${how}`, async () => {
      await using bench = await runningBench();
      bench.script("liveness", "bad");
      bench.script("startup", "bad");
      const pod = probedPod({ livenessProbe: { failureThreshold: 3, periodSeconds: 1 } });
      const id = await bench.start(pod);
      const deletionTimestamp = "2024-01-01T00:01:00Z";
      if (how === "stopping") bench.probes.stopping("u1");
      else bench.probes.follow({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
      bench.takeAsked();
      await bench.clock.step(10 * S);
      assert.deepEqual(bench.asked, []);
      assert.equal(bench.probes.failure(id), undefined);
    });
  }

  it("that has failed is of no interest once the pod stops", async () => {
    await using bench = await runningBench();
    bench.script("liveness", "bad");
    const id = await bench.start(probedPod({ livenessProbe: { failureThreshold: 1 } }));
    assert.equal(bench.probes.failure(id)?.probe, "Liveness");
    bench.probes.stopping("u1");
    assert.equal(bench.probes.failure(id), undefined);
  });
});

describe("startup", () => {
  const all = {
    startupProbe: { periodSeconds: 2, failureThreshold: 3 },
    readinessProbe: { periodSeconds: 10 },
    livenessProbe: { periodSeconds: 10, failureThreshold: 1 },
  };

  it("keeps the others waiting; with its success readiness is asked at once", async () => {
    await using bench = await runningBench();
    bench.script("startup", "bad", "bad", "ok");
    bench.script("liveness", "bad");
    const id = await bench.start(probedPod(all));
    await bench.clock.step(3 * S);
    assert.equal(stateOf(bench, id), "");
    await bench.clock.step(S);
    assert.deepEqual(bench.takeAsked(), [
      "startup 60000",
      "startup 62000",
      "startup 64000",
      "readiness 64000",
      "liveness 64000",
    ]);
    assert.equal(stateOf(bench, id), "started ready failed Liveness");
    await bench.clock.step(20 * S);
    assert.deepEqual(bench.asked, ["readiness 74000", "readiness 84000"]);
  });

  it("leaves nothing to chance when it has succeeded: readiness is asked at once", async () => {
    await using bench = new ProbeBench({ next: () => 0.5, uint32: () => 0 });
    await bench.run();
    await bench.start(probedPod(all));
    await bench.clock.step(6 * S);
    assert.deepEqual(bench.asked, ["startup 500", "readiness 500", "liveness 5500"]);
  });

  it("fails after as many failures as the probe wants, and nothing is asked after that", async () => {
    await using bench = await runningBench();
    bench.script("startup", "bad");
    const id = await bench.start(probedPod(all));
    await bench.clock.step(4 * S);
    assert.equal(stateOf(bench, id), "failed Startup");
    bench.takeAsked();
    await bench.clock.step(60 * S);
    assert.deepEqual(bench.asked, []);
    assert.deepEqual(
      new Set(bench.takeEvents()),
      new Set(["Warning Unhealthy Startup probe failed: out err"]),
    );
  });

  it("is asked anew of a new container", async () => {
    await using bench = await runningBench();
    bench.script("startup", "ok", "bad", "bad", "ok");
    const pod = probedPod(all);
    assert.equal(stateOf(bench, await bench.start(pod)), "started ready");
    bench.runtime.exit("app");
    const next = await bench.start(pod);
    assert.equal(stateOf(bench, next), "");
    await bench.clock.step(4 * S);
    assert.equal(stateOf(bench, next), "started ready");
  });

  it("is not asked any more when the pod stops, and the container is not killed for it", async () => {
    await using bench = await runningBench();
    bench.script("startup", "bad");
    const id = await bench.start(probedPod(all));
    bench.probes.stopping("u1");
    bench.takeAsked();
    await bench.clock.step(60 * S);
    assert.deepEqual(bench.asked, []);
    assert.equal(stateOf(bench, id), "");
  });

  it("is asked of sidecars, like the rest", async () => {
    await using bench = await runningBench();
    const probe = (what: string) => ({ exec: { command: [what] } });
    const sidecar = {
      ...{ ...testContainer("side"), restartPolicy: "Always" },
      ...{ startupProbe: probe("startup"), readinessProbe: probe("readiness") },
      livenessProbe: probe("liveness"),
    };
    const pod = testPod({ spec: { initContainers: [sidecar] } });
    bench.script("liveness", "bad");
    const id = await bench.start(pod, "side");
    assert.deepEqual(
      bench.asked.map((one) => one.split(" ")[0]),
      ["startup", "readiness", "liveness"],
    );
    assert.equal(stateOf(bench, id), "started ready");
    assert.equal(bench.events[0]?.object.fieldPath, "spec.initContainers{side}");
  });
});

describe("when a probe is asked", () => {
  it("is not before its initial delay, counted from the container's start", async () => {
    await using bench = await runningBench();
    const delay = { initialDelaySeconds: 30, periodSeconds: 5 };
    const pod = probedPod({ readinessProbe: delay, livenessProbe: delay });
    await bench.startUnseen(pod);
    await bench.clock.step(10 * S);
    bench.probes.follow(pod);
    await bench.clock.step(19_999);
    assert.deepEqual(bench.asked, []);
    await bench.clock.step(1);
    assert.deepEqual(bench.takeAsked(), ["readiness 90000", "liveness 90000"]);
    await bench.clock.step(5 * S);
    assert.deepEqual(bench.asked, ["readiness 95000", "liveness 95000"]);
  });

  it("is a delay of the container's, not of its start-up probe", async () => {
    await using bench = await runningBench();
    bench.script("startup", "bad", "ok");
    await bench.start(
      probedPod({
        startupProbe: { periodSeconds: 10 },
        readinessProbe: { initialDelaySeconds: 5 },
        livenessProbe: { initialDelaySeconds: 12 },
      }),
    );
    await bench.clock.step(12 * S);
    assert.deepEqual(bench.asked, [
      "startup 60000",
      "startup 70000",
      "readiness 70000",
      "liveness 72000",
    ]);
  });

  it("is at a moment of chance: within a second, for liveness within its period", async () => {
    await using bench = new ProbeBench({ next: () => 0.5, uint32: () => 0 });
    await bench.run();
    await bench.clock.step(60 * S);
    const period = { periodSeconds: 20 };
    await bench.start(probedPod({ readinessProbe: period, livenessProbe: period }));
    await bench.clock.step(20 * S);
    assert.deepEqual(bench.asked, ["readiness 60500", "liveness 70000"]);
  });

  it("is spread over the period for what ran before the agent did", async () => {
    await using bench = new ProbeBench({ next: () => 0.5, uint32: () => 0 });
    const pod = probedPod({ readinessProbe: { periodSeconds: 20 } });
    await bench.startUnseen(pod);
    await bench.clock.step(S);
    await bench.run();
    bench.probes.follow(pod);
    await bench.clock.step(20 * S);
    assert.deepEqual(bench.asked, ["readiness 11000"]);
  });

  it("is after the end of a question that took longer than the period", async () => {
    await using bench = await runningBench();
    bench.script("readiness", "hang", "ok");
    await bench.start(probedPod({ readinessProbe: { periodSeconds: 2, timeoutSeconds: 5 } }));
    await bench.clock.step(8 * S);
    assert.deepEqual(bench.asked, ["readiness 60000", "readiness 65000", "readiness 67000"]);
    assert.deepEqual(bench.takeEvents(), [
      'Warning Unhealthy Readiness probe failed: command timed out: "readiness" timed out after 5s',
    ]);
  });

  it("does not depend on others that hang", async () => {
    await using bench = await runningBench();
    bench.script("liveness", "hang");
    await bench.start(
      probedPod({
        livenessProbe: { timeoutSeconds: 100 },
        readinessProbe: { periodSeconds: 1 },
      }),
    );
    await bench.clock.step(5 * S);
    assert.equal(bench.asked.filter((one) => one.startsWith("readiness")).length, 6);
  });

  it("has the server's defaults for pods from files", async () => {
    await using bench = await runningBench();
    bench.script("liveness", "bad", "bad", "hang");
    const pod = probedPod({ livenessProbe: {} });
    const [container] = pod.spec.containers ?? [];
    if (container !== undefined) container.livenessProbe = { exec: { command: ["liveness"] } };
    const id = await bench.start(pod);
    await bench.clock.step(20_999);
    assert.equal(stateOf(bench, id), "started ready");
    await bench.clock.step(1);
    assert.equal(stateOf(bench, id), "started ready failed Liveness");
    assert.deepEqual(bench.asked, ["liveness 60000", "liveness 70000", "liveness 80000"]);
  });

  it("takes one timer per probe, and none besides", async () => {
    await using bench = await runningBench();
    for (let i = 0; i < 100; i++) {
      const pod = probedPod(
        { readinessProbe: {}, livenessProbe: {} },
        { metadata: { uid: `u${i}` } },
      );
      await bench.start(pod);
    }
    assert.equal(bench.clock.waiting, 200);
    bench.takeAsked();
    await bench.clock.step(60 * S);
    assert.equal(bench.asked.length, 200 * 6);
    assert.equal(bench.clock.waiting, 200);
  });
});

describe("what cannot be asked", () => {
  it("is tried three times, told of, and counts neither way", async () => {
    await using bench = await runningBench();
    bench.script("liveness", new ExecError('exec: "liveness": executable file not found in $PATH'));
    const id = await bench.start(probedPod({ livenessProbe: { failureThreshold: 1 } }));
    await bench.clock.step(10 * S);
    assert.equal(bench.asked.length, 6);
    assert.equal(stateOf(bench, id), "started ready");
    const text =
      'Warning Unhealthy Liveness probe errored and resulted in unknown state: exec: "liveness": executable file not found in $PATH';
    assert.deepEqual(bench.takeEvents(), [text, text]);
    assert.doesNotMatch(await bench.metrics.text(), /prober_probe_total\{/);
  });

  it("is a success if it goes well the third time", async () => {
    await using bench = await runningBench();
    bench.script("readiness", new ExecError("a"), new ExecError("b"), "ok");
    const id = await bench.start(probedPod({ readinessProbe: {} }));
    assert.equal(stateOf(bench, id), "started ready");
    assert.deepEqual(bench.events, []);
  });

  it("interrupts no row of failures", async () => {
    await using bench = await runningBench();
    const failure = new ExecError("x");
    bench.script("liveness", "bad", failure, failure, failure, "bad");
    const pod = probedPod({ livenessProbe: { failureThreshold: 2, periodSeconds: 1 } });
    const id = await bench.start(pod);
    await bench.clock.step(S);
    assert.equal(bench.probes.failure(id), undefined);
    await bench.clock.step(S);
    assert.equal(bench.probes.failure(id)?.probe, "Liveness");
  });

  const cases: readonly (readonly [probe: object, text: string])[] = [
    [{}, "missing probe handler for web_default(u1):app"],
    [{ httpGet: { port: "web" } }, 'port "web" not found'],
    [{ tcpSocket: { port: "web" } }, 'port "web" not found'],
    [{ tcpSocket: { port: 0 } }, "invalid port number: 0"],
  ];
  for (const [probe, text] of cases) {
    it(`is ${JSON.stringify(probe)}`, async () => {
      await using bench = await runningBench();
      const pod = testPod();
      Object.assign(pod.spec.containers?.[0] ?? {}, { readinessProbe: probe });
      const id = await bench.start(pod);
      const all = `Warning Unhealthy Readiness probe errored and resulted in unknown state: ${text}`;
      assert.deepEqual(bench.takeEvents(), [all]);
      assert.equal(stateOf(bench, id), "started");
    });
  }
});

describe("after the agent was away", () => {
  const probes = {
    startupProbe: { periodSeconds: 10 },
    readinessProbe: { periodSeconds: 10, failureThreshold: 2 },
  };
  const reported = (pod: Pod, id: string, how: { started: boolean; ready: boolean }): Pod => {
    const status = {
      ...{ name: "app", containerID: `driftless://${id}`, image: "host", imageID: "" },
      ...{ restartCount: 0, state: { running: {} }, lastState: {}, ...how },
    };
    return { ...pod, status: { ...pod.status, containerStatuses: [status] } };
  };

  it("what was ready stays ready until its probe has failed often enough", async () => {
    await using bench = new ProbeBench();
    const pod = probedPod(probes);
    const { id } = await bench.startUnseen(pod);
    await bench.clock.step(100 * S);
    bench.probes.follow(reported(pod, id, { started: true, ready: true }));
    bench.script("readiness", "bad");
    await bench.run();
    assert.equal(stateOf(bench, id), "started ready");
    await bench.clock.step(10 * S);
    assert.equal(stateOf(bench, id), "started");
    assert.ok(
      bench.asked.every((one) => one.startsWith("readiness")),
      "startup is over",
    );
  });

  it("what was not ready is not ready until its probe succeeds", async () => {
    await using bench = new ProbeBench();
    const pod = probedPod(probes);
    const { id } = await bench.startUnseen(pod);
    await bench.clock.step(100 * S);
    bench.probes.follow(reported(pod, id, { started: false, ready: false }));
    assert.equal(stateOf(bench, id), "");
    await bench.run();
    assert.equal(stateOf(bench, id), "started ready");
    assert.deepEqual(bench.asked, ["startup 100000", "readiness 100000"]);
  });

  it("what was told of another container counts for nothing", async () => {
    await using bench = new ProbeBench();
    const pod = probedPod(probes);
    const { id } = await bench.startUnseen(pod);
    bench.probes.follow(reported(pod, "another", { started: true, ready: true }));
    assert.equal(stateOf(bench, id), "");
  });

  it("what ended before it looked is not probed", async () => {
    await using bench = new ProbeBench();
    const pod = probedPod(probes);
    const { id } = await bench.startUnseen(pod);
    bench.probes.follow(pod);
    bench.runtime.exit("app");
    await bench.run();
    await bench.clock.step(60 * S);
    assert.deepEqual(bench.asked, []);
    assert.equal(stateOf(bench, id), "");
  });
});

describe("the end", () => {
  it("of a container ends its questions, and what they would have said is not told", async () => {
    await using bench = await runningBench();
    bench.script("readiness", "hang");
    await bench.start(probedPod({ readinessProbe: { timeoutSeconds: 5 } }));
    const [session] = bench.runtime.execs;
    bench.runtime.exit("app");
    await bench.clock.step(60 * S);
    assert.equal(session?.isCut, true);
    assert.deepEqual(bench.events, []);
    assert.equal(bench.asked.length, 1);
    assert.equal(bench.clock.waiting, 0);
  });

  it("of all is there when nothing runs any more that was asked", async () => {
    const bench = await runningBench();
    bench.script("readiness", "hang");
    const pod = probedPod({ readinessProbe: { timeoutSeconds: 50 } });
    await bench.start(pod);
    await bench[Symbol.asyncDispose]();
    assert.equal(bench.runtime.execs[0]?.isCut, true);
    assert.equal(bench.clock.waiting, 0);
    bench.probes.follow(pod);
    await bench.start(probedPod({ readinessProbe: {} }, { metadata: { uid: "u2" } }));
    assert.equal(bench.asked.length, 1);
  });
});

describe("prober_probe_total", () => {
  it("counts answers by probe and result, and goes with its pod", async () => {
    await using bench = await runningBench();
    bench.script("readiness", "ok", "bad");
    const pod = probedPod({ readinessProbe: { periodSeconds: 1 }, livenessProbe: {} });
    await bench.start(pod);
    await bench.clock.step(3 * S);
    const counted = (await bench.metrics.text()).split("\n").filter((line) => /^prober/.test(line));
    const labels = 'container="app",pod="web",namespace="default",pod_uid="u1"';
    assert.deepEqual(counted.toSorted(), [
      `prober_probe_total{probe_type="Liveness",result="successful",${labels}} 1`,
      `prober_probe_total{probe_type="Readiness",result="failed",${labels}} 3`,
      `prober_probe_total{probe_type="Readiness",result="successful",${labels}} 1`,
    ]);
    bench.probes.forget("u1");
    assert.doesNotMatch(await bench.metrics.text(), /prober_probe_total\{/);
  });
});
