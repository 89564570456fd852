// The whole loop against a simulated server: what is bound where, and that nothing ever is where it does not fit.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseQuantity } from "../../api/quantity.ts";
import { internalError } from "../../api/status-error.ts";
import type { Node, Pod, PodSpec } from "../../api/types.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { simKind } from "../../controller/testing/sim-kinds.ts";
import { Scheduler } from "./scheduler.ts";

const pods = simKind("v1", "Pod");
const nodes = simKind("v1", "Node");

const seed = 20_241_116;

function addNode(sim: SimCluster, name: string, more: { cpu?: string; pods?: string } = {}): void {
  const capacity = { cpu: more.cpu ?? "2", memory: "8Gi", pods: more.pods ?? "110" };
  const labels = { "kubernetes.io/hostname": name };
  sim.create(nodes, { metadata: { name, labels }, status: { capacity, allocatable: capacity } });
  sim.patch(nodes, name, { spec: { taints: null } });
}

function podOf(name: string, spec: Partial<PodSpec> = {}, cpu?: string): object {
  const resources = cpu === undefined ? {} : { requests: { cpu } };
  return {
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "c", image: "i", resources }], ...spec },
  };
}

function addPod(sim: SimCluster, name: string, spec: Partial<PodSpec> = {}, cpu?: string): void {
  sim.create(pods, podOf(name, spec, cpu));
}

function nodeOf(sim: SimCluster, name: string): string | undefined {
  return sim.get<Pod>(pods, `default/${name}`)?.spec.nodeName;
}

function scheduledCondition(sim: SimCluster, name: string): object | undefined {
  const { conditions } = sim.get<Pod>(pods, `default/${name}`)?.status ?? {};
  return conditions?.find(({ type }) => type === "PodScheduled");
}

function messages(sim: SimCluster, reason: string): readonly string[] {
  return sim.events.filter((event) => event.reason === reason).map(({ message }) => message);
}

/** In thousandths. */
function cpuOf(requests: Readonly<Record<string, string>> | undefined): number {
  return Number(parseQuantity(requests?.["cpu"] ?? "0").milliValue());
}

/** Fails the test as soon as the server holds more on a node than the node has. */
function neverOverCapacity(sim: SimCluster): void {
  sim.observe(({ kind }) => {
    if (kind.kind !== "Pod") return;
    for (const { metadata, status } of sim.list<Node>(nodes)) {
      const used = sim
        .list<Pod>(pods)
        .filter(({ spec }) => spec.nodeName === metadata.name)
        .reduce((sum, { spec }) => sum + cpuOf(spec.containers?.[0]?.resources?.requests), 0);
      const has = cpuOf(status.allocatable);
      assert.ok(used <= has, `seed ${seed}: ${metadata.name} has ${used} of ${has}`);
    }
  });
}

describe("Scheduler", () => {
  it("binds a pod and says so", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a");
    addPod(sim, "web");
    await sim.start(new Scheduler(sim.context));
    assert.equal(nodeOf(sim, "web"), "a");
    assert.partialDeepStrictEqual(sim.events, [
      {
        component: "default-scheduler",
        type: "Normal",
        reason: "Scheduled",
        message: "Successfully assigned default/web to a",
        object: { kind: "Pod", namespace: "default", name: "web" },
      },
    ]);
  });

  it("binds pods that come later", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a");
    await sim.start(new Scheduler(sim.context));
    addPod(sim, "web");
    await sim.settle();
    assert.equal(nodeOf(sim, "web"), "a");
  });

  it("leaves pods of other schedulers, with gates, and that have a node alone", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a");
    addPod(sim, "other", { schedulerName: "mine" });
    addPod(sim, "gated", { schedulingGates: [{ name: "g" }] });
    addPod(sim, "fixed", { nodeName: "elsewhere" });
    await sim.start(new Scheduler(sim.context));
    assert.equal(nodeOf(sim, "other"), undefined);
    assert.equal(nodeOf(sim, "gated"), undefined);
    assert.equal(nodeOf(sim, "fixed"), "elsewhere");
    assert.deepEqual(sim.events, []);
  });

  it("places a pod when its last gate is taken away", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a");
    addPod(sim, "gated", { schedulingGates: [{ name: "g" }] });
    await sim.start(new Scheduler(sim.context));
    sim.patch(pods, "default/gated", { spec: { schedulingGates: null } });
    await sim.settle();
    assert.equal(nodeOf(sim, "gated"), "a");
  });

  it("says why a pod has no node, in a condition and in an event", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a", { cpu: "1" });
    addNode(sim, "b", { cpu: "1" });
    addNode(sim, "c");
    sim.patch(nodes, "c", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } });
    addPod(sim, "large", {}, "2");
    await sim.start(new Scheduler(sim.context));
    const message =
      "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.";
    assert.partialDeepStrictEqual(scheduledCondition(sim, "large") ?? {}, {
      status: "False",
      reason: "Unschedulable",
      message,
    });
    assert.partialDeepStrictEqual(sim.events, [
      { component: "default-scheduler", type: "Warning", reason: "FailedScheduling", message },
    ]);
  });

  it("waits for a first node", async () => {
    await using sim = new SimCluster({ seed });
    addPod(sim, "web");
    await sim.start(new Scheduler(sim.context));
    assert.deepEqual(messages(sim, "FailedScheduling"), ["no nodes available to schedule pods"]);
    addNode(sim, "a");
    await sim.pass(1000);
    await sim.settle();
    assert.equal(nodeOf(sim, "web"), "a");
  });

  it("does not look again before something changes, except once in five minutes", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a", { cpu: "1" });
    addPod(sim, "large", {}, "2");
    await sim.start(new Scheduler(sim.context));
    sim.patchStatus(nodes, "a", { status: { nodeInfo: { kernelVersion: "6.12" } } });
    await sim.pass(299_000);
    assert.equal(messages(sim, "FailedScheduling").length, 1);
    await sim.pass(1000);
    assert.equal(messages(sim, "FailedScheduling").length, 2);
  });

  it("gives the place of a pod that is gone to the one that waits for it", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a", { cpu: "1" });
    addPod(sim, "first", {}, "1");
    await sim.start(new Scheduler(sim.context));
    addPod(sim, "second", {}, "1");
    await sim.settle();
    assert.equal(nodeOf(sim, "second"), undefined);
    sim.patchStatus(pods, "default/first", { status: { phase: "Succeeded" } });
    await sim.settle();
    await sim.pass(1000);
    await sim.settle();
    assert.equal(nodeOf(sim, "second"), "a");
  });

  it("makes pauses of 1, 2, 4, 8 and 10 seconds for a pod that finds no node again and again", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a", { cpu: "1" });
    addPod(sim, "large", {}, "2");
    await sim.start(new Scheduler(sim.context));
    const attempts: number[] = [];
    let told = 1;
    for (let second = 1; second <= 40; second++) {
      const labels = { tick: String(second) };
      sim.patch(nodes, "a", { metadata: { labels }, status: {} });
      sim.patchStatus(nodes, "a", { status: { allocatable: { memory: `${second}Gi` } } });
      await sim.pass(1000);
      const now = messages(sim, "FailedScheduling").length;
      if (now > told) attempts.push(second);
      told = now;
    }
    assert.deepEqual(attempts, [1, 3, 7, 15, 25, 35]);
  });

  it("gives pods of higher priority their nodes first", async () => {
    await using sim = new SimCluster({ seed });
    for (const [name, priority] of [
      ["low", 0] as const,
      ["high", 100] as const,
      ["mid", 50] as const,
    ]) {
      addPod(sim, name, { priority }, "1");
    }
    addNode(sim, "a", { cpu: "2" });
    await sim.start(new Scheduler(sim.context));
    assert.equal(nodeOf(sim, "high"), "a");
    assert.equal(nodeOf(sim, "mid"), "a");
    assert.equal(nodeOf(sim, "low"), undefined);
  });

  it("spreads the pods of one controller evenly", async () => {
    await using sim = new SimCluster({ seed });
    const ownerReferences = [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true },
    ];
    for (const name of ["a", "b", "c", "d"]) addNode(sim, name);
    for (let i = 0; i < 12; i++) {
      const pod = podOf(`web-${i}`) as Pod;
      sim.create(pods, { ...pod, metadata: { ...pod.metadata, ownerReferences } });
    }
    await sim.start(new Scheduler(sim.context));
    const counts = Map.groupBy(sim.list<Pod>(pods), ({ spec }) => spec.nodeName);
    assert.deepEqual(
      [...counts.values()].map(({ length }) => length),
      [3, 3, 3, 3],
    );
  });

  it("never puts more on a node than fits, although its watch lags behind its own writes", async () => {
    await using sim = new SimCluster({ seed });
    neverOverCapacity(sim);
    sim.watchLagMs = () => 3000;
    for (const name of ["a", "b", "c"]) addNode(sim, name, { cpu: "1" });
    await sim.start(new Scheduler(sim.context));
    for (let i = 0; i < 20; i++) addPod(sim, `p${i}`, {}, "250m");
    await sim.settle();
    const placed = sim.list<Pod>(pods).filter(({ spec }) => spec.nodeName !== undefined);
    assert.equal(placed.length, 12);
  });

  it("counts a pod whose binding was answered by nobody", async () => {
    await using sim = new SimCluster({ seed });
    neverOverCapacity(sim);
    addNode(sim, "a", { cpu: "1" });
    let lost = 0;
    sim.refuse(({ subresource }) =>
      subresource === "binding" && lost++ === 0 ? "lost" : undefined,
    );
    sim.watchLagMs = () => 5000;
    addPod(sim, "first", {}, "1");
    await sim.start(new Scheduler(sim.context));
    addPod(sim, "second", {}, "1");
    await sim.pass(20_000);
    await sim.settle();
    const placed = sim.list<Pod>(pods).filter(({ spec }) => spec.nodeName !== undefined);
    assert.equal(placed.length, 1);
    assert.deepEqual(messages(sim, "Scheduled"), ["Successfully assigned default/first to a"]);
  });

  it("tries again when a binding never arrived", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a", { cpu: "1" });
    let cut = 0;
    sim.refuse(({ subresource }) => (subresource === "binding" && cut++ < 2 ? "cut" : undefined));
    addPod(sim, "web", {}, "1");
    await sim.start(new Scheduler(sim.context));
    await sim.pass(5000);
    assert.equal(nodeOf(sim, "web"), "a");
  });

  it("says what the server has against a binding, and tries again after a pause", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a", { cpu: "1" });
    let refused = 0;
    sim.refuse(({ subresource }) =>
      subresource === "binding" && refused++ === 0 ? internalError("no disk") : undefined,
    );
    addPod(sim, "web", {}, "1");
    await sim.start(new Scheduler(sim.context));
    const message = 'running Bind plugin "DefaultBinder": Internal error occurred: no disk';
    assert.deepEqual(messages(sim, "FailedScheduling"), [message]);
    assert.partialDeepStrictEqual(scheduledCondition(sim, "web") ?? {}, {
      reason: "SchedulerError",
      message,
    });
    await sim.pass(1000);
    assert.equal(nodeOf(sim, "web"), "a");
  });

  it("accepts that another scheduler was faster, and counts the pod where it is", async () => {
    await using sim = new SimCluster({ seed });
    neverOverCapacity(sim);
    addNode(sim, "a", { cpu: "1" });
    addNode(sim, "b", { cpu: "1" });
    sim.patch(nodes, "a", { spec: { unschedulable: true } });
    await sim.start(new Scheduler(sim.context));
    sim.watchLagMs = ({ kind }) => (kind === "Pod" ? 10_000 : 0);
    for (const name of ["web", "next", "third"]) addPod(sim, name, {}, "1");
    await sim.pass(5000);
    await sim.clientOf("another scheduler").request({
      method: "POST",
      path: "/api/v1/namespaces/default/pods/web/binding",
      body: { metadata: { name: "web" }, target: { kind: "Node", name: "a" } },
    });
    await sim.pass(5100);
    sim.patch(nodes, "a", { spec: { unschedulable: false } });
    await sim.pass(1900);
    assert.deepEqual([nodeOf(sim, "web"), nodeOf(sim, "next")], ["a", "b"]);
    await sim.settle();
    assert.equal(nodeOf(sim, "third"), undefined);
    assert.deepEqual(messages(sim, "Scheduled"), ["Successfully assigned default/next to b"]);
  });

  it("survives a node that vanishes between choice and binding", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a");
    await sim.start(new Scheduler(sim.context));
    sim.watchLagMs = ({ kind }) => (kind === "Node" ? 3000 : 0);
    sim.delete(nodes, "a");
    addPod(sim, "early");
    await sim.pass(100);
    assert.equal(nodeOf(sim, "early"), "a");
    await sim.settle();
    addPod(sim, "late");
    await sim.settle();
    assert.equal(nodeOf(sim, "late"), undefined);
    sim.watchLagMs = () => 0;
    addNode(sim, "a", { pods: "2" });
    await sim.pass(1000);
    assert.equal(nodeOf(sim, "late"), "a");
    addPod(sim, "third");
    await sim.settle();
    assert.deepEqual(
      messages(sim, "FailedScheduling").at(-1),
      "0/1 nodes are available: 1 Too many pods.",
    );
  });

  it("does not place a pod that is being deleted", async () => {
    await using sim = new SimCluster({ seed });
    sim.create(pods, {
      ...podOf("web"),
      metadata: { name: "web", namespace: "default", finalizers: ["example.com/hold"] },
    });
    sim.delete(pods, "default/web");
    addNode(sim, "a");
    await sim.start(new Scheduler(sim.context));
    assert.equal(nodeOf(sim, "web"), undefined);
    assert.deepEqual(messages(sim, "FailedScheduling"), [
      "skip schedule deleting pod: default/web",
    ]);
  });

  it("takes a new pod of the same name for what it is", async () => {
    await using sim = new SimCluster({ seed });
    addNode(sim, "a", { cpu: "1" });
    addPod(sim, "web", {}, "2");
    await sim.start(new Scheduler(sim.context));
    sim.delete(pods, "default/web");
    addPod(sim, "web", {}, "1");
    await sim.settle();
    assert.equal(nodeOf(sim, "web"), "a");
  });

  it("goes on after a restart in the middle, without placing anything twice", async () => {
    await using sim = new SimCluster({ seed });
    neverOverCapacity(sim);
    for (const name of ["a", "b", "c"]) addNode(sim, name, { cpu: "1" });
    for (let i = 0; i < 14; i++) addPod(sim, `p${i}`, {}, "250m");
    sim.latencyMs = ({ subresource }) => (subresource === "binding" ? 50 : 0);
    await sim.start(new Scheduler(sim.context));
    await sim.pass(20);
    await sim.stop();
    sim.latencyMs = () => 0;
    await sim.start(new Scheduler(sim.context));
    const placed = sim.list<Pod>(pods).filter(({ spec }) => spec.nodeName !== undefined);
    assert.equal(placed.length, 12);
  });

  it("never puts more on a node than fits, whatever goes wrong", async () => {
    await using sim = new SimCluster({ seed });
    neverOverCapacity(sim);
    const random = seededRandom(seed);
    const chance = (share: number): boolean => random.next() < share;
    sim.watchLagMs = () => Math.floor(random.next() * 2000);
    sim.latencyMs = ({ verb }) => (verb === "watch" ? 0 : Math.floor(random.next() * 300));
    sim.refuse(({ verb, subresource }) => {
      if (verb === "watch" || verb === "list" || !chance(0.2)) return undefined;
      return subresource === "binding" && chance(0.5) ? "lost" : "cut";
    });
    for (const name of ["a", "b", "c", "d"]) addNode(sim, name, { cpu: "1" });
    await sim.start(new Scheduler(sim.context));
    for (let step = 0; step < 60; step++) {
      addPod(sim, `p${step}`, {}, chance(0.5) ? "250m" : "500m");
      const bound = sim.list<Pod>(pods).filter(({ spec }) => spec.nodeName !== undefined);
      const gone = bound[Math.floor(random.next() * bound.length)];
      if (gone !== undefined && chance(0.4)) {
        sim.delete(pods, `default/${gone.metadata.name}`, { gracePeriodSeconds: 0 });
      }
      await sim.pass(500);
    }
    sim.refuse(() => undefined);
    sim.latencyMs = () => 0;
    sim.watchLagMs = () => 0;
    await sim.pass(60_000);
    const waiting = sim.list<Pod>(pods).filter(({ spec }) => spec.nodeName === undefined);
    for (const pod of waiting) {
      assert.equal(pod.status.conditions?.[0]?.reason, "Unschedulable", `seed ${seed}`);
    }
  });
});
