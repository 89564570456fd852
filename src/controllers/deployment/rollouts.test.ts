// Whole rollouts, in a simulated cluster. What must hold at every step is checked by SimRollout.

import assert from "node:assert/strict";
import { test } from "node:test";
import { modified } from "../../api/status-error.ts";
import { DEPLOYMENT, REPLICA_SET } from "./deployment-objects.ts";
import { SimRollout } from "./testing/sim-rollout.ts";

const rolling = (maxSurge: number | string, maxUnavailable: number | string): object => ({
  type: "RollingUpdate",
  rollingUpdate: { maxSurge, maxUnavailable },
});

test("A new Deployment gets a ReplicaSet, its pods and a full status", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 3 });
  await rollout.start();
  assert.equal(rollout.condition("Available"), "False MinimumReplicasUnavailable");
  assert.equal(rollout.deployment.status.unavailableReplicas, 3);
  assert.deepEqual(rollout.events, [
    "Normal ScalingReplicaSet Scaled up replica set v1 from 0 to 3",
  ]);
  await rollout.complete();
  const reasons = ["NewReplicaSetCreated", "ReplicaSetUpdated", "NewReplicaSetAvailable"];
  assert.deepEqual(rollout.progress, reasons);
  assert.equal(rollout.condition("Available"), "True MinimumReplicasAvailable");
  const { conditions: _, ...counts } = rollout.deployment.status;
  assert.partialDeepStrictEqual(counts, {
    ...{ observedGeneration: 1, replicas: 3, updatedReplicas: 3 },
    ...{ readyReplicas: 3, availableReplicas: 3 },
  });
  assert.equal(rollout.deployment.metadata.annotations?.["deployment.kubernetes.io/revision"], "1");
  assert.equal(rollout.set("v1").metadata.annotations?.["deployment.kubernetes.io/revision"], "1");
});

test("A complete Deployment is not written any more", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 3 });
  await rollout.start();
  await rollout.complete();
  await rollout.sim.pass(5000);
  rollout.writes.length = 0;
  await rollout.sim.pass(3_600_000);
  assert.deepEqual(rollout.writes, []);
});

test("A good version replaces the old one step by step", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 10, strategy: rolling(3, 2) });
  await rollout.start();
  await rollout.complete();
  rollout.sim.events.length = 0;
  await rollout.use("v2");
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 10 });
  assert.deepEqual(rollout.events.slice(0, 3), [
    "Normal ScalingReplicaSet Scaled up replica set v2 from 0 to 3",
    "Normal ScalingReplicaSet Scaled down replica set v1 from 10 to 8",
    "Normal ScalingReplicaSet Scaled up replica set v2 from 3 to 5",
  ]);
  assert.equal(rollout.deployment.metadata.annotations?.["deployment.kubernetes.io/revision"], "2");
});

test("A bad version stops at what is promised, and is told of after the deadline", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 10, strategy: rolling(3, 2), progressDeadlineSeconds: 60 });
  await rollout.start();
  await rollout.complete();
  await rollout.use("bad");
  await rollout.sim.pass(50_000);
  assert.deepEqual(rollout.sizes, { v1: 8, bad: 5 });
  assert.equal(rollout.condition("Progressing"), "True ReplicaSetUpdated");
  await rollout.sim.pass(20_000);
  assert.equal(rollout.condition("Progressing"), "False ProgressDeadlineExceeded");
  assert.equal(rollout.condition("Available"), "True MinimumReplicasAvailable");
  rollout.writes.length = 0;
  await rollout.sim.pass(3_600_000);
  assert.deepEqual(rollout.writes, []);
  assert.deepEqual(rollout.sizes, { v1: 8, bad: 5 });
});

test("A bad version is undone in the middle, under a new number", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 10, strategy: rolling(3, 2) });
  await rollout.start();
  await rollout.complete();
  await rollout.use("bad");
  await rollout.sim.pass(20_000);
  await rollout.use("v1");
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 10, bad: 0 });
  const annotations = rollout.set("v1").metadata.annotations ?? {};
  assert.equal(annotations["deployment.kubernetes.io/revision"], "3");
  assert.equal(annotations["deployment.kubernetes.io/revision-history"], "1");
  assert.equal(rollout.deployment.metadata.annotations?.["deployment.kubernetes.io/revision"], "3");
});

test("A third version takes over from a second that is under way", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 10, strategy: rolling("25%", "25%") });
  await rollout.start();
  await rollout.complete();
  await rollout.use("v2");
  await rollout.sim.pass(2000);
  await rollout.use("v3");
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 0, v3: 10 });
});

test("Scaling in the middle gives every version its share", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 10, strategy: rolling(3, 2) });
  await rollout.start();
  await rollout.complete();
  await rollout.use("bad");
  await rollout.sim.pass(20_000);
  assert.deepEqual(rollout.sizes, { v1: 8, bad: 5 });
  await rollout.change({ replicas: 20 });
  await rollout.sim.pass(20_000);
  assert.deepEqual(rollout.sizes, { v1: 14, bad: 9 });
  await rollout.use("v2");
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, bad: 0, v2: 20 });
});

test("Scaling to none and back brings back the current version only", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 4 });
  await rollout.start();
  await rollout.complete();
  await rollout.use("bad");
  await rollout.sim.pass(20_000);
  await rollout.change({ replicas: 0 });
  await rollout.complete();
  await rollout.use("v2");
  await rollout.change({ replicas: 4 });
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, bad: 0, v2: 4 });
});

test("A pause stops a rollout where it is, whatever its deadline, and lets scaling through", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 10, strategy: rolling(3, 2), progressDeadlineSeconds: 60 });
  await rollout.start();
  await rollout.complete();
  await rollout.use("v2");
  await rollout.change({ paused: true });
  await rollout.sim.pass(20_000);
  const before = rollout.sizes;
  assert.ok((before["v1"] ?? 0) > 0 && (before["v2"] ?? 0) > 0);
  await rollout.sim.pass(600_000);
  assert.deepEqual(rollout.sizes, before);
  assert.equal(rollout.condition("Progressing"), "Unknown DeploymentPaused");
  await rollout.change({ replicas: 20 });
  await rollout.sim.pass(20_000);
  const total = Object.values(rollout.sizes).reduce((a, b) => a + b, 0);
  assert.equal(total, 23);
  assert.ok((rollout.sizes["v1"] ?? 0) > (before["v1"] ?? 0));
  await rollout.change({ paused: false });
  assert.ok(rollout.progress.includes("DeploymentResumed"));
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 20 });
});

test("A paused Deployment takes changes of its template only when it goes on", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 2 });
  await rollout.start();
  await rollout.complete();
  await rollout.change({ paused: true });
  await rollout.use("v2");
  await rollout.sim.pass(60_000);
  assert.deepEqual(rollout.sizes, { v1: 2 });
  assert.equal(
    rollout.deployment.status.observedGeneration,
    rollout.deployment.metadata.generation,
  );
  await rollout.change({ paused: null });
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 2 });
});

test("Recreate starts nothing before everything old is gone", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 3, strategy: { type: "Recreate" } });
  await rollout.start();
  await rollout.complete();
  await rollout.use("v2");
  assert.deepEqual(rollout.sizes, { v1: 0 });
  assert.equal(rollout.deployment.status.updatedReplicas ?? 0, 0);
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 3 });
  assert.equal(rollout.pods.length, 3);
});

for (const [lagMs, latencyMs] of [
  [0, 20],
  [300, 0],
] as const) {
  test(`Recreate waits for pods that nobody has seen yet, ${lagMs} ms after they are made in ${latencyMs} ms`, async () => {
    await using rollout = new SimRollout();
    const { sim } = rollout;
    sim.watchLagMs = ({ kind }) => (kind === "Pod" ? lagMs : 0);
    sim.latencyMs = ({ kind, verb }) => (kind.kind === "Pod" && verb === "create" ? latencyMs : 0);
    await rollout.start();
    rollout.create({ replicas: 3, strategy: { type: "Recreate" } });
    await sim.pass(10);
    await rollout.use("v2");
    await rollout.complete();
    assert.deepEqual(rollout.sizes, { v1: 0, v2: 3 });
  });
}

test("Recreate does not start the next version beside pods of an update whose answer was lost", async () => {
  await using rollout = new SimRollout();
  const { sim } = rollout;
  rollout.create({ replicas: 0, strategy: { type: "Recreate" } });
  await rollout.start();
  await rollout.complete();
  sim.watchLagMs = ({ kind }) => (kind === "ReplicaSet" ? 300 : 0);
  let isLost = false;
  sim.refuse(({ verb, kind, subresource }) => {
    if (isLost || verb !== "update" || kind.kind !== "ReplicaSet" || subresource !== "") return;
    isLost = true;
    return "lost";
  });
  sim.latencyMs = ({ verb, kind }) => (verb === "update" && kind.kind === "ReplicaSet" ? 30 : 0);
  await rollout.change({ replicas: 2 });
  await rollout.use("v2");
  await rollout.complete();
  assert.ok(isLost);
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 2 });
});

test("Recreate that is paused when the old pods are going starts nothing before they are gone", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 3, strategy: { type: "Recreate" } });
  await rollout.start();
  await rollout.complete();
  await rollout.use("v2");
  await rollout.complete();
  await rollout.use("v1");
  await rollout.sim.pass(100);
  await rollout.change({ paused: true });
  await rollout.until("it has gone on", () => rollout.sizes["v1"] === 3);
  assert.deepEqual(rollout.sizes, { v1: 3, v2: 0 });
});

test("A change to Recreate and of the size in the middle of a rolling update does not get stuck", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 4 });
  await rollout.start();
  await rollout.complete();
  await rollout.use("bad");
  await rollout.sim.pass(10_000);
  assert.equal(Object.values(rollout.sizes).filter((size) => size > 0).length, 2);
  await rollout.change({ replicas: 6, strategy: { type: "Recreate", rollingUpdate: null } });
  await rollout.until(
    "the old are gone",
    () => rollout.sizes["v1"] === 0 && rollout.sizes["bad"] === 6,
  );
});

for (const lagMs of [200, 3000]) {
  test(`A rollout keeps its promises when all watches lag by up to ${lagMs} ms`, async () => {
    await using rollout = new SimRollout({ seed: lagMs });
    rollout.sim.watchLagMs = () => Math.floor(rollout.sim.random.next() * lagMs);
    rollout.create({ replicas: 10, strategy: rolling(2, 1) });
    await rollout.start();
    await rollout.complete();
    await rollout.use("v2");
    await rollout.sim.pass(4000);
    await rollout.use("v3");
    await rollout.complete();
    assert.deepEqual(rollout.sizes, { v1: 0, v2: 0, v3: 10 });
    assert.equal(rollout.sets.length, 3);
  });
}

test("A rollout gets through conflicts, broken connections and lost answers", async () => {
  await using rollout = new SimRollout({ seed: 7 });
  rollout.sim.refuse(({ verb, kind, name, by }) => {
    const chance = rollout.sim.random.next();
    const isWrite = ["create", "update", "patch", "delete"].includes(verb);
    if (by !== "controllers" || !isWrite || chance > 0.3) return undefined;
    if (chance > 0.2) return modified(kind, name);
    return chance > 0.1 ? "cut" : "lost";
  });
  rollout.create({ replicas: 6, strategy: rolling(1, 1) });
  await rollout.start();
  await rollout.complete();
  await rollout.use("v2");
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 6 });
  assert.equal(rollout.sets.length, 2);
});

test("A controller that takes over in the middle goes on with the rollout", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 10, strategy: rolling(1, 1) });
  await rollout.start();
  await rollout.complete();
  await rollout.use("v2");
  for (let i = 0; i < 5; i++) {
    await rollout.sim.pass(1700);
    await rollout.restart();
  }
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 10 });
  assert.equal(rollout.sets.length, 2);
});

test("Only as many old versions are kept as the limit says", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 1, revisionHistoryLimit: 1 });
  await rollout.start();
  for (const image of ["v2", "v3", "v4"]) {
    await rollout.use(image);
    await rollout.complete();
  }
  await rollout.sim.pass(10_000);
  assert.deepEqual(rollout.sizes, { v3: 0, v4: 1 });
  assert.equal(rollout.deployment.metadata.annotations?.["deployment.kubernetes.io/revision"], "4");
});

test("A ReplicaSet that somebody scales gets its size back", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 3 });
  await rollout.start();
  await rollout.complete();
  const key = `default/${rollout.set("v1").metadata.name}`;
  rollout.sim.patch(REPLICA_SET, key, { spec: { replicas: 7 } });
  await rollout.sim.settle();
  assert.deepEqual(rollout.sizes, { v1: 3 });
});

test("Annotations and the readiness time of a Deployment reach its current ReplicaSet", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 1 });
  await rollout.start();
  const annotations = { "kubernetes.io/change-cause": "because" };
  rollout.sim.patch(DEPLOYMENT, "default/web", {
    metadata: { annotations },
    spec: { minReadySeconds: 5 },
  });
  await rollout.complete();
  const { metadata, spec } = rollout.set("v1");
  assert.equal(metadata.annotations?.["kubernetes.io/change-cause"], "because");
  assert.equal(spec.minReadySeconds, 5);
});
