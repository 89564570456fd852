import assert from "node:assert/strict";
import { test } from "node:test";
import { forbidden, internalError, StatusError } from "../../api/status-error.ts";
import type { ReplicaSet } from "../../api/types.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { SimNodes } from "../../controller/testing/sim-nodes.ts";
import { POD, type PodObject, servedKind } from "../pods/pod-object.ts";
import { bindPods } from "../pods/testing/bind-pods.ts";
import { ReplicaSetController } from "./replica-set-controller.ts";

const REPLICA_SET = servedKind("apps/v1", "ReplicaSet");
const labels = { app: "web" };
const podSpec = { containers: [{ name: "c", image: "host" }] };

function madeSet(replicas: number, more: object = {}, name = "web"): object {
  const template = { metadata: { labels }, spec: podSpec };
  const spec = { replicas, selector: { matchLabels: labels }, template, ...more };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name }, spec };
}

function pods(sim: SimCluster): PodObject[] {
  return sim.list<PodObject>(POD);
}

function activePods(sim: SimCluster): PodObject[] {
  return pods(sim).filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp == null && !["Failed", "Succeeded"].includes(status.phase ?? ""),
  );
}

function setOf(sim: SimCluster, name = "web"): ReplicaSet {
  const set = sim.get<ReplicaSet>(REPLICA_SET, `default/${name}`);
  assert.ok(set);
  return set;
}

function scale(sim: SimCluster, replicas: number): void {
  sim.patch(REPLICA_SET, "default/web", { spec: { replicas } });
}

/** Throws as soon as more pods than wanted are there at a time. */
function neverMoreThan(sim: SimCluster, most: number): void {
  sim.observe(() => {
    const { length } = activePods(sim);
    assert.ok(length <= most, `${length} pods, ${most} wanted`);
  });
}

test("A ReplicaSet gets its pods, owned and named after it, and tells of each", async () => {
  await using sim = new SimCluster({ seed: 1 });
  const set = sim.create(REPLICA_SET, madeSet(3));
  await sim.start(new ReplicaSetController(sim.context));
  assert.equal(pods(sim).length, 3);
  for (const { metadata, spec } of pods(sim)) {
    assert.match(metadata.name ?? "", /^web-[a-z0-9]{5}$/);
    assert.deepEqual(metadata.labels, labels);
    assert.equal(spec.containers?.[0]?.image, "host");
    assert.deepEqual(metadata.ownerReferences, [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web",
        uid: set.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  }
  const told = sim.events.map(({ component, type, reason, message, object }) =>
    [component, type, reason, message, object.kind, object.name].join(" "),
  );
  const expected = pods(sim).map(
    ({ metadata }) =>
      `replicaset-controller Normal SuccessfulCreate Created pod: ${metadata.name ?? ""} ReplicaSet web`,
  );
  assert.deepEqual(told.sort(), expected.sort());
});

test("The status follows the pods, and availability comes when minReadySeconds have passed", async () => {
  await using sim = new SimCluster({ seed: 2 });
  using nodes = new SimNodes(sim, { count: 2 });
  using _binder = bindPods(sim, () => nodes.names);
  sim.create(REPLICA_SET, madeSet(2, { minReadySeconds: 30 }));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(3_000);
  await sim.settle();
  const { readyReplicas, availableReplicas = 0, observedGeneration } = setOf(sim).status;
  assert.deepEqual([readyReplicas, availableReplicas, observedGeneration], [2, 0, 1]);
  await sim.pass(31_000);
  await sim.settle();
  assert.equal(setOf(sim).status.availableReplicas, 2);
});

test("Nothing is asked of the server when nothing changes", async () => {
  await using sim = new SimCluster({ seed: 3 });
  sim.create(REPLICA_SET, madeSet(2));
  sim.create(REPLICA_SET, madeSet(0, {}, "empty"));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(5_000);
  const asked: string[] = [];
  sim.refuse(({ verb, kind }) => {
    asked.push(`${verb} ${kind.kind}`);
    return undefined;
  });
  sim.patch(REPLICA_SET, "default/web", { metadata: { labels: { touched: "yes" } } });
  sim.patch(REPLICA_SET, "default/empty", { metadata: { labels: { touched: "yes" } } });
  await sim.pass(60_000);
  assert.deepEqual(asked, []);
});

test("Scaling down deletes the pods that are missed least, and tells of each", async () => {
  await using sim = new SimCluster({ seed: 4 });
  using nodes = new SimNodes(sim, {
    count: 1,
    fate: ({ metadata }) => (metadata.annotations?.["slow"] ? { readyMs: undefined } : {}),
  });
  using _binder = bindPods(sim, () => nodes.names);
  sim.create(REPLICA_SET, madeSet(3));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(5_000);
  const cheap = pods(sim)[1]?.metadata.name ?? "";
  const cost = { "controller.kubernetes.io/pod-deletion-cost": "-5" };
  sim.patch(POD, `default/${cheap}`, { metadata: { annotations: cost } });
  await sim.settle();
  scale(sim, 2);
  await sim.settle();
  const going = pods(sim).filter(({ metadata }) => metadata.deletionTimestamp != null);
  assert.deepEqual(
    going.map(({ metadata }) => metadata.name),
    [cheap],
  );
  const { replicas, terminatingReplicas } = setOf(sim).status;
  assert.deepEqual([replicas, terminatingReplicas], [2, 1]);
  const last = sim.events.at(-1);
  assert.deepEqual(
    [last?.type, last?.reason, last?.message],
    ["Normal", "SuccessfulDelete", `Deleted pod: ${cheap}`],
  );
  await sim.pass(60_000);
  assert.equal(setOf(sim).status.terminatingReplicas, 0);
});

test("A pod that ends or is deleted is replaced", async () => {
  await using sim = new SimCluster({ seed: 5 });
  using nodes = new SimNodes(sim, { count: 1 });
  using _binder = bindPods(sim, () => nodes.names);
  sim.create(REPLICA_SET, madeSet(2));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(5_000);
  const [first, second] = pods(sim).map(({ metadata }) => `default/${metadata.name ?? ""}`);
  assert.ok(first && second);
  sim.patchStatus(POD, first, { status: { phase: "Failed" } });
  sim.delete(POD, second);
  await sim.settle();
  assert.equal(sim.get<PodObject>(POD, first)?.status.phase, "Failed");
  assert.equal(activePods(sim).length, 2);
  assert.equal(setOf(sim).status.replicas, 2);
});

test("Orphans that match are adopted, and pods that no longer match are let go and replaced", async () => {
  await using sim = new SimCluster({ seed: 6 });
  sim.create(POD, { metadata: { name: "orphan", labels }, spec: podSpec });
  sim.create(POD, { metadata: { name: "stranger", labels: { app: "db" } }, spec: podSpec });
  const set = sim.create(REPLICA_SET, madeSet(2));
  await sim.start(new ReplicaSetController(sim.context));
  const owned = (): (string | undefined)[] =>
    pods(sim)
      .filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === set.metadata.uid)
      .map(({ metadata }) => metadata.name);
  assert.equal(owned().length, 2);
  assert.ok(owned().includes("orphan"));
  sim.patch(POD, "default/orphan", { metadata: { labels: { app: "quarantine" } } });
  await sim.settle();
  assert.equal(owned().length, 2);
  assert.ok(!owned().includes("orphan"));
  assert.equal(pods(sim).length, 4);
  // It comes back when it matches again, and then there is one too many.
  sim.patch(POD, "default/orphan", { metadata: { labels } });
  await sim.settle();
  assert.equal(owned().length, 2);
});

test("Watches that lag lead to no pod too many and none too few", async () => {
  await using sim = new SimCluster({ seed: 7 });
  sim.watchLagMs = ({ kind }) => (kind === "Pod" ? 700 : 200);
  neverMoreThan(sim, 12);
  sim.create(REPLICA_SET, madeSet(12));
  await sim.start(new ReplicaSetController(sim.context));
  for (const replicas of [3, 9, 1, 12]) {
    scale(sim, replicas);
    // The set is looked at many times before the copy of the pods has caught up.
    for (let i = 0; i < 5; i++) {
      sim.patch(REPLICA_SET, "default/web", { metadata: { labels: { i: `${replicas}-${i}` } } });
      await sim.pass(50);
    }
    await sim.pass(10_000);
    assert.equal(activePods(sim).length, replicas);
  }
  const creations = sim.events.filter(({ reason }) => reason === "SuccessfulCreate").length;
  assert.equal(creations, 12 + 6 + 11);
});

test("A creation whose answer is lost is not repeated", async () => {
  await using sim = new SimCluster({ seed: 8 });
  sim.watchLagMs = ({ kind }) => (kind === "Pod" ? 300 : 0);
  neverMoreThan(sim, 5);
  let lost = 0;
  sim.refuse(({ verb, kind }) =>
    verb === "create" && kind.kind === "Pod" && lost++ % 3 === 0 ? "lost" : undefined,
  );
  sim.create(REPLICA_SET, madeSet(5));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(30_000);
  assert.equal(pods(sim).length, 5);
});

/** Scales from 3 to 2, and while the deletion is not seen yet another pod turns out to be missed even less. */
async function scaleWhileOrderChanges(sim: SimCluster): Promise<void> {
  sim.watchLagMs = ({ kind }) => (kind === "Pod" ? 300 : 0);
  sim.create(REPLICA_SET, madeSet(3));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(5_000);
  const [first, second] = pods(sim).map(({ metadata }) => `default/${metadata.name ?? ""}`);
  assert.ok(first && second);
  const costs = (cost: string): object => ({
    metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } },
  });
  sim.patch(POD, first, costs("-5"));
  await sim.pass(1_000);
  sim.observe(() => assert.ok(activePods(sim).length >= 2));
  sim.patch(POD, second, costs("-10"));
  await sim.pass(290);
  scale(sim, 2);
  await sim.pass(10_000);
  assert.deepEqual(
    pods(sim).filter(({ metadata }) => `default/${metadata.name ?? ""}` === first),
    [],
  );
  assert.equal(pods(sim).length, 2);
}

test("A deletion that is not seen yet costs no other pod", async () => {
  await using sim = new SimCluster({ seed: 9 });
  await scaleWhileOrderChanges(sim);
});

test("A deletion whose answer is lost costs no other pod", async () => {
  await using sim = new SimCluster({ seed: 9 });
  const faults = ["lost", "cut", "cut"] as const;
  let asked = 0;
  sim.refuse(({ verb, kind }) =>
    verb === "delete" && kind.kind === "Pod" ? faults[asked++] : undefined,
  );
  await scaleWhileOrderChanges(sim);
});

test("A full quota costs one request a turn, is told of and is tried again after longer and longer", async () => {
  await using sim = new SimCluster({ seed: 10 });
  let asked = 0;
  let isFull = true;
  const why = "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0";
  sim.refuse(({ verb, kind }) => {
    if (verb !== "create" || kind.kind !== "Pod") return undefined;
    asked++;
    return isFull ? forbidden(kind, "web-", why) : undefined;
  });
  sim.create(REPLICA_SET, madeSet(100));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(10_000);
  assert.ok(asked >= 5 && asked <= 20, `${asked} requests in ten seconds`);
  const message = `pods "web-" is forbidden: ${why}`;
  const { conditions = [], replicas } = setOf(sim).status;
  assert.equal(replicas, 0);
  assert.deepEqual(
    conditions.map(({ type, status, reason, message: text }) => [type, status, reason, text]),
    [["ReplicaFailure", "True", "FailedCreate", message]],
  );
  const [event] = sim.events;
  assert.deepEqual(
    [event?.type, event?.reason, event?.message],
    ["Warning", "FailedCreate", `Error creating: ${message}`],
  );
  isFull = false;
  await sim.pass(60_000);
  assert.equal(pods(sim).length, 100);
  assert.deepEqual(setOf(sim).status.conditions ?? [], []);
});

test("In a namespace that goes nothing is tried twice, and nothing is told", async () => {
  await using sim = new SimCluster({ seed: 11 });
  let asked = 0;
  sim.refuse(({ verb, kind, namespace }) => {
    if (verb !== "create" || kind.kind !== "Pod") return undefined;
    asked++;
    const causes = [{ reason: "NamespaceTerminating", field: "metadata.namespace" }];
    return forbidden(kind, "", `namespace ${namespace} is being terminated`, causes);
  });
  sim.create(REPLICA_SET, madeSet(100));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(600_000);
  assert.ok(asked <= 2, `${asked} requests`);
  assert.deepEqual(sim.events, []);
  assert.deepEqual(setOf(sim).status.conditions ?? [], []);
});

test("A deletion that is refused is told of and repeated", async () => {
  await using sim = new SimCluster({ seed: 12 });
  sim.create(REPLICA_SET, madeSet(2));
  await sim.start(new ReplicaSetController(sim.context));
  let refusals = 0;
  sim.refuse(({ verb, kind }) =>
    verb === "delete" && kind.kind === "Pod" && refusals++ < 2
      ? internalError("no disk")
      : undefined,
  );
  scale(sim, 1);
  await sim.settle();
  const [condition] = setOf(sim).status.conditions ?? [];
  assert.equal(condition?.reason, "FailedDelete");
  assert.equal(condition.message, "unable to delete pods: Internal error occurred: no disk");
  await sim.pass(1_000);
  assert.equal(pods(sim).length, 1);
  const warning = sim.events.find(({ type }) => type === "Warning");
  assert.equal(warning?.reason, "FailedDelete");
  assert.equal(warning.message, "Error deleting: Internal error occurred: no disk");
});

test("Conflicts of the status are overcome", async () => {
  await using sim = new SimCluster({ seed: 13 });
  let conflicts = 0;
  sim.refuse(({ verb, subresource }) =>
    verb === "update" && subresource === "status" && conflicts++ < 3
      ? new StatusError({ code: 409, reason: "Conflict", message: "somebody was faster" })
      : undefined,
  );
  sim.create(REPLICA_SET, madeSet(4));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(2_000);
  assert.equal(setOf(sim).status.replicas, 4);
  assert.equal(pods(sim).length, 4);
});

test("A controller that takes over in the middle makes what is missing and no more", async () => {
  await using sim = new SimCluster({ seed: 14 });
  sim.latencyMs = ({ kind, verb }) => (kind.kind === "Pod" && verb === "create" ? 10 : 0);
  neverMoreThan(sim, 60);
  sim.create(REPLICA_SET, madeSet(60));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(35);
  const before = pods(sim).length;
  assert.ok(before > 0 && before < 60, `${before} pods`);
  await sim.stop();
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(1_000);
  assert.equal(pods(sim).length, 60);
});

test("A pod of another namespace that claims to be the set's counts for nothing", async () => {
  await using sim = new SimCluster({ seed: 16 });
  const { metadata } = sim.create(REPLICA_SET, madeSet(2));
  await sim.start(new ReplicaSetController(sim.context));
  const own = pods(sim).map(({ metadata: { name } }) => name);
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: metadata.uid };
  const ownerReferences = [{ ...owner, controller: true }];
  for (const name of ["x", "y"]) {
    const forged = { name, namespace: "kube-public", labels, ownerReferences };
    sim.create(POD, { metadata: forged, spec: podSpec });
  }
  sim.patch(REPLICA_SET, "default/web", { metadata: { labels: { touched: "yes" } } });
  await sim.pass(5_000);
  assert.deepEqual(new Set(pods(sim).map((pod) => pod.metadata.name)), new Set([...own, "x", "y"]));
  assert.equal(setOf(sim).status.replicas, 2);
});

test("A creation that was done although the server says that it failed is not repeated", async () => {
  await using sim = new SimCluster({ seed: 17 });
  sim.watchLagMs = ({ kind }) => (kind === "Pod" ? 300 : 0);
  neverMoreThan(sim, 5);
  let asked = 0;
  sim.refuse(({ verb, kind, body }) => {
    if (verb !== "create" || kind.kind !== "Pod" || asked++ % 3 > 0) return undefined;
    sim.create(POD, body as object);
    return new StatusError({ code: 504, reason: "Timeout", message: "request did not complete" });
  });
  sim.create(REPLICA_SET, madeSet(5));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(30_000);
  assert.equal(pods(sim).length, 5);
});

test("Pods that fail as soon as they are made are not made without end, and a set that they let down recovers", async () => {
  await using sim = new SimCluster({ seed: 18 });
  let isRefused = true;
  sim.observe(({ type, kind, object }) => {
    if (type !== "ADDED" || kind.kind !== "Pod" || !isRefused) return;
    const key = `default/${object.metadata.name ?? ""}`;
    const refuse = (): void => void sim.patchStatus(POD, key, { status: { phase: "Failed" } });
    sim.clock.schedule(50, refuse);
  });
  sim.create(REPLICA_SET, madeSet(3));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(60_000);
  const { length } = pods(sim);
  assert.ok(length >= 20 && length <= 50, `${length} pods in a minute`);
  isRefused = false;
  await sim.pass(65_000);
  assert.equal(activePods(sim).length, 3);
});

test("Changes of many pods of a large set cost a few looks at it, not one for each", async () => {
  await using sim = new SimCluster({ seed: 19 });
  sim.create(REPLICA_SET, madeSet(400));
  await sim.start(new ReplicaSetController(sim.context));
  await sim.pass(5_000);
  let writes = 0;
  sim.observe(({ kind }) => {
    if (kind.kind === "ReplicaSet") writes++;
  });
  const condition = { type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" };
  for (const { metadata } of pods(sim)) {
    const key = `default/${metadata.name ?? ""}`;
    sim.patchStatus(POD, key, { status: { phase: "Running", conditions: [condition] } });
    await sim.pass(1);
  }
  await sim.pass(1_000);
  assert.equal(setOf(sim).status.readyReplicas, 400);
  assert.ok(writes < 40, `${writes} writes`);
});

test("A set that is about to go makes no pods", async () => {
  await using sim = new SimCluster({ seed: 15 });
  sim.create(REPLICA_SET, madeSet(2));
  await sim.start(new ReplicaSetController(sim.context));
  sim.delete(REPLICA_SET, "default/web", { propagationPolicy: "Foreground" });
  const [pod] = pods(sim);
  sim.delete(POD, `default/${pod?.metadata.name ?? ""}`);
  await sim.pass(5_000);
  assert.equal(pods(sim).length, 1);
  assert.equal(setOf(sim).status.replicas, 1);
});
